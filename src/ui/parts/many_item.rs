//! One action on the page that shows several before they are decided.

use leptos::prelude::*;

use super::icons::{self, Icon};
use super::safe_html::{Html, InlineHtml};
use super::time::Remaining;
use crate::wire::many::ManyItem;

/// How an action is chosen on that page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Ticked from the start.
    Ticked,
    /// To be ticked by itself.
    Own,
    /// Not here.
    None,
}

/// The action, with all of its content or with a word on how much is missing.
#[component]
pub fn ManyItemView(
    /// The action.
    item: ManyItem,
    /// How it is chosen.
    choice: Choice,
) -> impl IntoView {
    let ManyItem {
        id,
        kind,
        title,
        title_text,
        agent,
        expires,
        target,
        undo,
        body,
        payload,
        rest,
        reasons,
        ..
    } = item;
    let (digest, digest_short) = (item.digest, item.digest_short);
    let heading = view! { <InlineHtml html=title /> };
    let head = match choice {
        Choice::None => view! { <h3 class="many-title">{heading}</h3> }.into_any(),
        Choice::Ticked | Choice::Own => {
            let list = if choice == Choice::Own { "own" } else { "picks" };
            let name = format!("sent[{list}][{id}]");
            view! {
                <input type="hidden" name="sent[shown][]" value=id.clone() />
                <label class="many-pick">
                    <input type="checkbox" name=name value=digest.clone() checked=choice == Choice::Ticked />
                    <span class="many-title">{heading}</span>
                </label>
            }
            .into_any()
        }
    };
    let reasons = (!reasons.is_empty()).then(|| {
        let sentences = reasons.into_iter().map(|reason| view! { <li>{reason}</li> }).collect_view();
        view! {
            <div class="warning">
                <Icon path=icons::CAUTION />
                <strong>"Needs a tick of its own"</strong>
                <ul>{sentences}</ul>
            </div>
        }
    });
    let rest = rest.map(|rest| {
        view! {
            <p class="many-rest">
                {rest}
                " not shown. "
                <a href=format!("/inbox/{id}") aria-label=format!("Open {title_text}")>
                    "Open it"
                </a>
            </p>
        }
    });
    view! {
        <li class="many-item" data-key=id>
            {head}
            <p class="facts">
                <code>{kind}</code>
                <span>"from "<strong>{agent}</strong></span>
                <Remaining moment=expires before="expires in " over="the time to decide is over" />
                <code class="digest" title=format!("SHA-256 of the content: {digest}")>
                    "sha256 "
                    {digest_short}
                </code>
            </p>
            {target.map(|target| view! { <p class="many-target">"at " <strong>{target.host}</strong> " " <code>{target.url}</code></p> })}
            {reasons}
            {undo
                .map(|undo| {
                    view! {
                        <figure class="undo">
                            <figcaption>"How to undo it, says the agent"</figcaption>
                            <Html html=undo class="quote" />
                        </figure>
                    }
                })}
            <Html html=body class=if rest.is_some() { "many-body raw" } else { "many-body prose" } />
            {payload
                .map(|payload| {
                    view! {
                        <p class="many-label">"Payload"</p>
                        <Html html=payload class="many-body raw" />
                    }
                })}
            {rest}
        </li>
    }
}
