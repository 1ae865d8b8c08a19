//! The card on the table: which one it is, what was typed into it, what came of deciding it.
//!
//! The one invariant: what a person reads or types is replaced only by their own doing. Somebody else's decision is
//! shown beside unsaved text, never instead of it. And while another card is on its way, nothing can be decided, so
//! that no click meant for one card reaches another.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::parts::keep_focus;
use crate::rpc::actions::{DecideAction, decide_action, load_card};
use crate::wire::card::{Card, EditField, Outcome};
use crate::wire::error::UiError;

/// The next card comes sooner than the second half of a double click, and it comes under the same pointer.
const SETTLE: Duration = Duration::from_millis(600);

/// The card on the table. A handle: copies share it.
#[derive(Clone, Copy)]
pub struct Desk {
    card: RwSignal<Option<Result<Card, UiError>>>,
    changed: RwSignal<u64>,
    reasoned: RwSignal<bool>,
    busy: RwSignal<bool>,
    settling: RwSignal<bool>,
    refusal: RwSignal<Option<UiError>>,
    ended: RwSignal<Option<String>>,
    outcome: RwSignal<Option<Outcome>>,
    ticket: StoredValue<u32>,
    decided: StoredValue<Option<Callback<(Outcome,)>>>,
}

impl Desk {
    /// An empty table, which lasts as long as the component that asks for it.
    #[expect(clippy::new_without_default, reason = "it makes signals, which a default value should not")]
    pub fn new() -> Self {
        Self {
            card: RwSignal::new(None),
            changed: RwSignal::new(0),
            reasoned: RwSignal::new(false),
            busy: RwSignal::new(false),
            settling: RwSignal::new(false),
            refusal: RwSignal::new(None),
            ended: RwSignal::new(None),
            outcome: RwSignal::new(None),
            ticket: StoredValue::new(0),
            decided: StoredValue::new(None),
        }
    }

    /// Says what happens after a decision made here.
    pub fn on_decided(self, decided: Callback<(Outcome,)>) {
        self.decided.set_value(Some(decided));
    }

    /// Lays down what the page came with.
    pub fn place(self, card: Option<Result<Card, UiError>>) {
        self.card.set(card);
    }

    /// Notes what came of a plain form post, which the page's address tells.
    pub fn tell(self, refusal: Option<UiError>, outcome: Option<Outcome>) {
        self.refusal.set(refusal);
        self.outcome.set(outcome);
    }

    /// The card, if there is one that could be loaded.
    pub fn card(self) -> Option<Card> {
        self.card.get()?.ok()
    }

    /// Why there is no card, if one was asked for.
    pub fn problem(self) -> Option<UiError> {
        self.card.get()?.err()
    }

    /// Whether nothing is on the table.
    pub fn is_empty(self) -> bool {
        self.card.with(Option::is_none)
    }

    /// The card's id.
    pub fn id(self) -> Option<String> {
        self.card.with(|card| Some(card.as_ref()?.as_ref().ok()?.id.clone()))
    }

    /// The card's id, at the moment of asking.
    pub fn id_now(self) -> Option<String> {
        self.card.with_untracked(|card| Some(card.as_ref()?.as_ref().ok()?.id.clone()))
    }

    /// Whether nothing is on the table, at the moment of asking.
    pub fn is_empty_now(self) -> bool {
        self.card.with_untracked(Option::is_none)
    }

    /// Whether there is something typed that was not sent, at the moment of asking.
    pub fn is_touched_now(self) -> bool {
        self.changed.get_untracked() != 0 || self.reasoned.get_untracked()
    }

    /// Whether a decision or another card is on its way.
    pub fn is_busy(self) -> bool {
        self.busy.get()
    }

    /// Whether the buttons are to be off.
    pub fn is_blocked(self) -> bool {
        self.busy.get() || self.settling.get() || self.ended.with(Option::is_some)
    }

    /// The same, at the moment of asking.
    pub fn is_blocked_now(self) -> bool {
        self.busy.get_untracked()
            || self.settling.get_untracked()
            || self.ended.with_untracked(Option::is_some)
    }

    /// How many values differ from the proposal.
    pub fn edits(self) -> u32 {
        self.changed.get().count_ones()
    }

    /// Why the last decision was refused.
    pub fn refusal(self) -> Option<UiError> {
        self.refusal.get()
    }

    /// The status that the card reached elsewhere while there is unsaved text in it.
    pub fn ended(self) -> Option<String> {
        self.ended.get()
    }

    /// The last decision made here.
    pub fn outcome(self) -> Option<Outcome> {
        self.outcome.get()
    }

    /// Compares what a control holds with the proposal. Browsers end lines with a line feed, whatever was sent.
    pub fn note_value(self, field: &EditField, text: &str) {
        let differs = field.value.replace("\r\n", "\n") != text.replace("\r\n", "\n");
        let bit = 1_u64.checked_shl(field.index).unwrap_or(0);
        self.changed.update(|changed| if differs { *changed |= bit } else { *changed &= !bit });
    }

    /// Notes whether a reason was begun.
    pub fn note_reason(self, text: &str) {
        self.reasoned.set(!text.trim().is_empty());
    }

    /// Clears the table.
    pub fn clear(self) {
        self.forget_input();
        self.settling.set(false);
        self.card.set(None);
        keep_focus();
    }

    /// Lays down another card. The old one stays in sight, switched off, until the new one is here.
    pub fn show(self, id: String) {
        if self.card.with_untracked(|card| matches!(card, Some(Ok(card)) if card.id == id)) {
            return;
        }
        let ticket = self.take_ticket();
        self.busy.set(true);
        spawn_local(async move {
            let card = load_card(id).await;
            if self.ticket.try_get_value() == Some(ticket) {
                self.forget_input();
                self.card.set(Some(card));
                self.busy.set(false);
                scroll_to_top();
                keep_focus();
                if self.settling.get_untracked() {
                    set_timeout(move || _ = self.settling.try_set(false), SETTLE);
                }
            }
        });
    }

    /// Reads the same card again, because something happened to it or may have.
    pub fn refresh(self) {
        let Some(id) = self.id_now() else { return };
        if self.busy.get_untracked() {
            return;
        }
        let ticket = self.take_ticket();
        spawn_local(async move {
            let fresh = load_card(id).await;
            if self.ticket.try_get_value() != Some(ticket) || self.busy.get_untracked() {
                return;
            }
            let is_touched = self.is_touched_now();
            match fresh {
                Ok(card) if is_touched && card.status != "pending" => self.ended.set(Some(card.status)),
                Ok(card) if !is_touched => {
                    self.card.set(Some(Ok(card)));
                    keep_focus();
                }
                Err(UiError::SignedOut) if !is_touched => self.card.set(Some(Err(UiError::SignedOut))),
                // What is here is better than an error page; the header says when the server is out of reach.
                Ok(_) | Err(_) => {}
            }
        });
    }

    /// Sends a decision.
    pub fn decide(self, form: DecideAction) {
        self.busy.set(true);
        self.refusal.set(None);
        spawn_local(async move {
            let DecideAction { id, seen, verdict, comment, edits } = form;
            let result = decide_action(id, seen, verdict, comment, edits).await;
            self.busy.set(false);
            match result {
                Ok(outcome) => {
                    self.outcome.set(Some(outcome.clone()));
                    self.forget_input();
                    self.settling.set(true);
                    if let Some(Some(decided)) = self.decided.try_get_value() {
                        decided.run((outcome,));
                    }
                }
                Err(refusal) => {
                    let is_over =
                        matches!(refusal, UiError::AlreadyDecided | UiError::Expired | UiError::Stale);
                    self.refusal.set(Some(refusal));
                    if is_over {
                        self.refresh();
                    }
                }
            }
        });
    }

    fn take_ticket(self) -> u32 {
        self.ticket.update_value(|ticket| *ticket = ticket.wrapping_add(1));
        self.ticket.get_value()
    }

    fn forget_input(self) {
        self.changed.set(0);
        self.reasoned.set(false);
        self.refusal.set(None);
        self.ended.set(None);
    }
}

/// Another card is read from its beginning.
fn scroll_to_top() {
    if let Some(pane) = document().query_selector(".inbox-detail").ok().flatten() {
        pane.set_scroll_top(0);
    }
}
