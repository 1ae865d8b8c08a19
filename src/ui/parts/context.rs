//! What was decided before, beside what is to be decided now. It says what was, and never what is right.

use leptos::prelude::*;

use super::icons::{self, Icon};
use super::safe_html::InlineHtml;
use super::status_badge::{Badge, status_label};
use super::time::Time;
use crate::wire::context::{Alike, PastDecision, PastRun};

/// What is the same or nearly the same, before the content, in a sentence each.
#[component]
pub fn Alikes(
    /// The latest first.
    alike: Vec<Alike>,
) -> impl IntoView {
    let items = alike.into_iter().map(alike_one).collect::<Vec<_>>();
    (!items.is_empty()).then(|| view! { <div class="warnings alikes">{items}</div> })
}

fn alike_one(alike: Alike) -> impl IntoView {
    let Alike { is_same, decision } = alike;
    let PastDecision { id, title, verdict, by, at, edits, comment, run } = decision;
    let strong = format!("{} before", status_label(&verdict));
    let what = if is_same { "The same content was " } else { "Nearly the same content was " };
    let run = run.map(|run| {
        let PastRun { status, at, .. } = run;
        let words = if status == "executed" { " It was executed " } else { " Its run failed " };
        view! { {words} <Time moment=at /> "." }
    });
    let comment =
        comment.map(|comment| view! { <span class="said alike-reason"><InlineHtml html=comment /></span> });
    view! {
        <div class="warning alike" data-alike=if is_same { "same" } else { "nearly" }>
            <Icon path=icons::AGAIN />
            <strong>{strong}</strong>
            <p>
                {what}
                {verdict}
                {edited(edits)}
                " by "
                {by}
                " "
                <Time moment=at />
                "."
                {run}
                " "
                <a href=format!("/inbox/{id}") aria-label=format!("Look at it: {title}")>
                    "Look at it"
                </a>
                {comment}
            </p>
        </div>
    }
}

fn edited(edits: u32) -> Option<String> {
    match edits {
        0 => None,
        1 => Some(" with 1 edit".to_owned()),
        count => Some(format!(" with {count} edits")),
    }
}

/// The last decisions for a kind and an agent.
#[component]
pub fn Past(
    /// The kind.
    kind: String,
    /// The agent.
    agent: String,
    /// The latest first.
    past: Vec<PastDecision>,
) -> impl IntoView {
    let items = past.into_iter().map(past_one).collect::<Vec<_>>();
    (!items.is_empty()).then(|| {
        view! {
            <section class="past" aria-labelledby="past-title">
                <h3 id="past-title">
                    "Decided before: "
                    <code>{kind}</code>
                    " from "
                    {agent}
                </h3>
                <ol>{items}</ol>
            </section>
        }
    })
}

fn past_one(past: PastDecision) -> impl IntoView {
    let PastDecision { id, title, verdict, by, at, edits, comment, run } = past;
    let label = status_label(&verdict).to_owned();
    let run = run.map(|run| {
        let PastRun { status, at, detail } = run;
        let label = status_label(&status).to_owned();
        view! {
            <p class="past-run">
                <Badge state=status label=label />
                <Time moment=at />
                {detail.map(|detail| view! { <span class="said"><InlineHtml html=detail /></span> })}
            </p>
        }
    });
    view! {
        <li>
            <p class="past-line">
                <Badge state=verdict label=label />
                <a href=format!("/inbox/{id}")>{title}</a>
            </p>
            <p class="past-facts">
                <span>"by " {by} {edited(edits)}</span>
                <Time moment=at />
                {comment.map(|comment| view! { <span class="said"><InlineHtml html=comment /></span> })}
            </p>
            {run}
        </li>
    }
}
