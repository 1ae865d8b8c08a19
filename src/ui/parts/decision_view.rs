//! How an action ended: who, when, through which door, what was changed.

use leptos::prelude::*;

use super::change_list::ChangeList;
use super::safe_html::Html;
use super::status_badge::Badge;
use super::time::Time;
use crate::wire::Moment;
use crate::wire::card::DecisionView;

/// A decision.
#[component]
pub fn DecisionBlock(
    /// As it was taken.
    decision: DecisionView,
    /// When an executor took the permission.
    claimed: Option<Moment>,
) -> impl IntoView {
    let (state, label) = match decision.verdict.as_str() {
        "approve" => ("approved", "Approved"),
        _ => ("rejected", "Rejected"),
    };
    let edits = match decision.changes.len() {
        0 => None,
        1 => Some("with 1 edit".to_owned()),
        count => Some(format!("with {count} edits")),
    };
    view! {
        <section class="decision-view" aria-label="Decision" data-state=state>
            <p class="facts">
                <Badge state=state.to_owned() label=label.to_owned() />
                <span>"by "<strong>{decision.by}</strong></span>
                {edits.map(|edits| view! { <strong>{edits}</strong> })}
                <Time moment=decision.at />
                <span>{decision.through}</span>
            </p>
            {decision.comment.map(|comment| view! { <Html html=comment class="quote" /> })}
            <ChangeList changes=decision.changes />
            {claimed.map(|at| view! { <p class="facts">"An executor took the permission "<Time moment=at /></p> })}
        </section>
    }
}

/// An end without a decision.
#[component]
pub fn EndBlock(
    /// `expired` or `cancelled`.
    state: &'static str,
    /// What happened.
    sentence: String,
) -> impl IntoView {
    let label = super::status_badge::status_label(state);
    view! {
        <section class="decision-view" aria-label="Decision" data-state=state>
            <p class="facts">
                <Badge state=state.to_owned() label=label.to_owned() />
                <span>{sentence}</span>
            </p>
        </section>
    }
}
