//! How an action ended: who, when, through which door, what was changed.

use leptos::prelude::*;

use super::change_list::ChangeList;
use super::copy_button::CopyButton;
use super::safe_html::Html;
use super::status_badge::Badge;
use super::time::Time;
use crate::wire::Moment;
use crate::wire::card::{ChangeView, DecisionView};

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
    let says_otherwise = is_told_otherwise(&decision.changes).then(|| {
        view! { <p class="hint">"The text below is still the proposal's. What was edited is the payload, and that is what the agent gets."</p> }
    });
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
            {says_otherwise}
            {claimed.map(|at| view! { <p class="facts">"An executor took the permission "<Time moment=at /></p> })}
            {decision.receipt.map(|receipt| view! { <ReceiptFold receipt=receipt /> })}
        </section>
    }
}

/// Whether the arguments were edited and the text that describes them was not: it may describe something else now.
fn is_told_otherwise(changes: &[ChangeView]) -> bool {
    let is_about = |what: &str| changes.iter().any(|change| change.path.starts_with(what));
    is_about("payload") && !is_about("preview")
}

/// What proves the decision, for whoever wants to check it elsewhere.
#[component]
fn ReceiptFold(receipt: String) -> impl IntoView {
    view! {
        <details class="fold receipt">
            <summary>"Receipt " <span class="fold-size">"signed, verifies without this server"</span></summary>
            <div class="command">
                <pre tabindex="0"><code data-copy="">{receipt}</code></pre>
                <CopyButton />
            </div>
            <p class="hint">
                "Check it with impri receipts verify, or with any JOSE library and the keys at "
                <a href="/.well-known/jwks.json" rel="external">"/.well-known/jwks.json"</a> "."
            </p>
        </details>
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
