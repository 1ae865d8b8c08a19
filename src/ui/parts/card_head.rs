//! What a decider reads first: kind, title, who asks, how long there is, where it will happen.

use leptos::prelude::*;

use super::icons::{self, Icon};
use super::safe_html::InlineHtml;
use super::time::{Remaining, Time};
use crate::wire::card::{Card, Target};

/// The head of a card.
#[component]
pub fn CardHead(
    /// The card.
    card: Card,
) -> impl IntoView {
    let end = (card.status == "pending").then(|| {
        view! { <Remaining moment=card.expires before="expires in " over="the time to decide is over" /> }
    });
    let target = card.target.map(|target| view! { <TargetHost target=target /> });
    view! {
        <header class="card-head">
            <p class="card-kind">
                <code>{card.kind}</code>
                <a class="card-alone" href=format!("/inbox/{}", card.id)>
                    <Icon path=icons::ALONE />
                    "Open alone"
                </a>
            </p>
            <h2 id="card-title" class="card-title" tabindex="-1">
                <InlineHtml html=card.title_html />
            </h2>
            <p class="facts">
                <span>"from "<strong>{card.agent}</strong></span>
                <Time moment=card.created />
                {end}
                {target}
            </p>
        </header>
    }
}

/// Where it happens: the host, which is what matters first, and the whole address if there is more to it.
#[component]
pub fn TargetHost(
    /// The address.
    target: Target,
) -> impl IntoView {
    let Target { host, url } = target;
    let is_all =
        url.strip_suffix('/').unwrap_or(&url).split_once("://").is_some_and(|(_, rest)| rest == host);
    view! {
        <span class="target">"at "<strong>{host}</strong></span>
        {(!is_all).then(|| view! { <code class="target-url">{url}</code> })}
    }
}
