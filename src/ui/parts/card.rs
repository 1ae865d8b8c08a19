//! One action, whole, in the order in which a decider reads it.

use leptos::prelude::*;

use super::card_head::CardHead;
use super::content_block::{ContentBlock, UndoNote};
use super::context::{Alikes, Past};
use super::decision_bar::DecisionBar;
use super::decision_view::{DecisionBlock, EndBlock};
use super::delivery::Delivery;
use super::edit_fields::EditFields;
use super::read_only::ReadOnly;
use super::result_view::ResultBlock;
use super::timeline::Timeline;
use super::warnings::Warnings;
use crate::wire::card::Card;
use crate::wire::typed::Typed;

/// What makes a card another one than before: everything that happens to an action is an event of its timeline, and its
/// reader may have got another role.
fn key(card: &Card) -> String {
    let who = if card.may_decide { "" } else { " read only" };
    format!("{} {}{who}", card.id, card.timeline.len())
}

/// A card.
#[component]
pub fn CardView(
    /// The card.
    card: Card,
    /// Why nothing was decided just before.
    refusal: Option<String>,
    /// What was typed into it and not used yet.
    typed: Typed,
) -> impl IntoView {
    let is_pending = card.status == "pending";
    let key = key(&card);
    let id = card.id.clone();
    let is_editable = !card.fields.is_empty();
    let edit = (is_pending && is_editable)
        .then(|| view! { <EditFields fields=card.fields.clone() typed=typed.clone() /> });
    let bar = is_pending.then(|| {
        if !card.may_decide {
            return view! { <ReadOnly /> }.into_any();
        }
        let (id, seen) = (card.id.clone(), card.content.digest.clone());
        let reason = typed.text("comment").unwrap_or_default().to_owned();
        view! {
            <DecisionBar
                id=id
                seen=seen
                is_editable=is_editable
                is_once=card.not_idempotent
                refusal=refusal
                reason=reason
            />
        }
        .into_any()
    });
    let (kind, agent) = (card.kind.clone(), card.agent.clone());
    let head = view! { <CardHead card=card.clone() /> };
    let end = match card.status.as_str() {
        "expired" => {
            Some(("expired", format!("Nobody decided within {}. Nothing was approved.", card.window)))
        }
        "cancelled" if card.erased => Some((
            "cancelled",
            "This was cancelled, and what it said was erased. It can't be run.".to_owned(),
        )),
        "cancelled" => Some(("cancelled", "The agent withdrew this before anybody decided.".to_owned())),
        _ => None,
    };
    view! {
        <article class="card" data-key=key data-id=id data-state=card.status aria-labelledby="card-title">
            <div class="card-body">
                {head}
                {end.map(|(state, sentence)| view! { <EndBlock state=state sentence=sentence /> })}
                {card.decision.map(|decision| view! { <DecisionBlock decision=decision claimed=card.claimed /> })}
                {card.delivery.map(|delivery| view! { <Delivery delivery=delivery id=card.id.clone() /> })}
                {card.result.map(|result| view! { <ResultBlock result=result /> })}
                <Alikes alike=card.context.alike />
                <Warnings not_idempotent=card.not_idempotent && is_pending found=card.warnings />
                {card.undo.map(|undo| view! { <UndoNote undo=undo /> })}
                <ContentBlock content=card.content />
                {edit}
                <NotTold sentences=card.not_told />
                <Past kind=kind agent=agent past=card.context.past />
                <Timeline events=card.timeline id=card.id />
            </div>
            {bar}
        </article>
    }
}

/// Who was to be told and was not. Below what is decided, and in one line however many channels fail.
#[component]
fn NotTold(
    /// One for each channel.
    sentences: Vec<String>,
) -> impl IntoView {
    let count = sentences.len();
    let lines = sentences
        .into_iter()
        .map(|sentence| view! { <p class="not-delivered">{sentence}</p> })
        .collect_view();
    if count > 1 {
        view! {
            <details class="fold">
                <summary>{format!("{count} channels did not deliver this")}</summary>
                {lines}
            </details>
        }
        .into_any()
    } else {
        lines.into_any()
    }
}
