//! The decision: one form, loud, always within reach.

use leptos::ev::{MouseEvent, SubmitEvent};
use leptos::form::FromFormData;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Element;

use super::alert::Alert;
use super::confirm::{Confirm, Question};
use super::edit_fields::EDIT;
use super::icons::{self, Icon};
use super::status_badge::status_label;
use super::text_area::TextArea;
use crate::rpc::actions::{DecideAction, decide_action};
use crate::ui::alive::checks;
use crate::ui::alive::controls;
use crate::ui::alive::dom::{find, focus, on_element, tell_element, told, within};
use crate::ui::alive::late;
use crate::ui::alive::wait::in_time;
use crate::wire::card::Sure;
use crate::wire::error::{EditProblem, UiError};

/// The form's word for yes.
const APPROVE: &str = "approve";

/// The id of the decide form.
pub const FORM: &str = "decide";

/// Approve, Edit where something may be edited, Reject, and a reason for who wants to give one.
///
/// The form works alone. In the browser the same submit is sent without leaving the page.
#[island]
pub fn DecisionBar(
    /// The action.
    id: String,
    /// The digest of what this page shows.
    seen: String,
    /// Whether something may be edited.
    is_editable: bool,
    /// Whether each run has its own effect.
    is_once: bool,
    /// Why nothing was decided just before.
    refusal: Option<String>,
    /// The reason that was typed and not used yet.
    reason: String,
) -> impl IntoView {
    let (has_reason, proposed) = (!reason.is_empty(), (!reason.is_empty()).then(String::new));
    let form = NodeRef::<html::Form>::new();
    let state = State {
        edits: RwSignal::new(0),
        is_sending: RwSignal::new(false),
        is_over: RwSignal::new(false),
        trouble: RwSignal::new(refusal),
        is_signed_out: RwSignal::new(false),
        question: RwSignal::new(None),
        asked: StoredValue::new(None),
    };
    Effect::new(move |_| {
        let card = form.get().and_then(|form| form.closest(".card").ok().flatten());
        if let Some(card) = card {
            state.follow(card);
        }
    });
    let approve = move || match state.edits.get() {
        0 => "Approve".to_owned(),
        1 => "Approve with 1 edit".to_owned(),
        count => format!("Approve with {count} edits"),
    };
    let is_off = move || state.is_sending.get() || state.is_over.get();
    let sign_in = format!("/sign-in?next=/inbox/{id}");
    let signed_out = move || {
        state.is_signed_out.get().then(|| {
            view! {
                <p>
                    <a href=sign_in.clone() target="_blank">
                        "Sign in in a new tab"
                    </a>
                    ", then press the button again."
                </p>
            }
        })
    };
    let edit = is_editable.then(|| {
        view! {
            <a class="button" href=format!("#{EDIT}") on:click=open_editor>
                <Icon path=icons::PENCIL />
                "Edit"
            </a>
        }
    });
    let note = if is_editable { "Some values can be edited." } else { "This can't be edited." };
    view! {
        <form
            id=FORM
            class="decision-bar"
            method="post"
            action="/rpc/decide_action"
            autocomplete="off"
            data-sending=move || state.is_sending.get().then_some("")
            node_ref=form
            on:submit=move |event| state.submit(&event, is_once)
        >
            <input type="hidden" name="id" value=id />
            <input type="hidden" name="seen" value=seen />
            // Enter in a one-line field presses the first submit button of its form. This one does nothing.
            <button type="submit" disabled hidden></button>
            {move || state.trouble.get().map(|sentence| view! { <Alert sentence=sentence /> })}
            {signed_out}
            <div class="decision-buttons">
                <button class="button button--yes" name="verdict" value=APPROVE disabled=is_off>
                    <Icon path=icons::CHECK />
                    {approve}
                </button>
                {edit}
                <button class="button button--no" name="verdict" value="reject" disabled=is_off>
                    <Icon path=icons::CROSS />
                    "Reject"
                </button>
            </div>
            <details class="reason" open=has_reason>
                <summary>"Add a reason"</summary>
                <div class="field">
                    <label for="reason">"Reason, for the agent and the history (optional)"</label>
                    <TextArea
                        id="reason".to_owned()
                        name="comment".to_owned()
                        form=FORM
                        text=reason
                        rows=2
                        proposed=proposed
                    />
                </div>
            </details>
            <p class="decision-note">{note}</p>
        </form>
        <Confirm question=state.question on_yes=Callback::new(move |()| state.go_on()) />
    }
}

/// What the form knows in the browser.
#[derive(Clone, Copy)]
struct State {
    /// How many values differ from the proposal.
    edits: RwSignal<u32>,
    /// A decision is on its way.
    is_sending: RwSignal<bool>,
    /// It can't be decided any more.
    is_over: RwSignal<bool>,
    /// What went wrong.
    trouble: RwSignal<Option<String>>,
    /// The session is over.
    is_signed_out: RwSignal<bool>,
    /// What is asked once more.
    question: RwSignal<Option<Question>>,
    /// The decision that waits for the answer.
    asked: StoredValue<Option<DecideAction>>,
}

impl State {
    /// Follows what is typed into the card, and what becomes of it elsewhere.
    fn follow(self, card: Element) {
        // What was typed before the page came alive counts as well.
        self.edits.set(controls::edits(&card));
        on_element(&card, "impri:ended", move |event| {
            self.is_over.set(true);
            self.question.set(None);
            self.trouble.set(Some(ended_sentence(&told(&event).unwrap_or_default())));
        });
        let typed = card.clone();
        on_element(&card, "input", move |_| {
            self.edits.set(controls::edits(&typed));
            // What was wrong is being corrected; what is over stays over.
            if !self.is_over.get_untracked() && !self.is_signed_out.get_untracked() {
                self.trouble.set(None);
            }
        });
    }

    /// Sends the form from the page. What the page can't read is left to the browser, which sends it itself.
    fn submit(self, event: &SubmitEvent, is_once: bool) {
        if self.is_off() {
            event.prevent_default();
        } else if let Ok(decision) = DecideAction::from_event(event) {
            event.prevent_default();
            let is_yes = decision.verdict == APPROVE;
            let misfit = find(".card").filter(|_| is_yes).and_then(|card| checks::first_misfit(&card));
            if let Some(misfit) = misfit {
                self.trouble.set(Some(misfit_sentence(&misfit.path, misfit.problem)));
                focus(&misfit.control);
                return;
            }
            match Question::about(self.edits.get_untracked(), is_once).filter(|_| is_yes) {
                Some(question) => {
                    self.asked.set_value(Some(decision));
                    self.question.set(Some(question));
                }
                None => self.decide(decision),
            }
        }
    }

    /// Nothing is to be decided now: something is on its way, or it is too late.
    fn is_off(self) -> bool {
        self.is_sending.get_untracked()
            || self.is_over.get_untracked()
            || find("#card-pane[data-off]").is_some()
    }

    /// Sends what was asked about.
    fn go_on(self) {
        let asked = self.asked.try_update_value(Option::take).flatten();
        if let Some(decision) = asked.filter(|_| !self.is_off()) {
            self.decide(DecideAction { sure: Sure(true), ..decision });
        }
    }

    fn decide(self, decision: DecideAction) {
        // The card that is meant: another one may be in sight when the answer comes.
        let Some(card) = find(&format!(".card[data-id='{}']", decision.id)) else { return };
        self.is_sending.set(true);
        self.trouble.set(None);
        self.is_signed_out.set(false);
        spawn_local(async move {
            let DecideAction { id, seen, verdict, comment, edits, sure, filter } = decision;
            let answer = in_time(decide_action(id, seen, verdict, comment, edits, sure, filter)).await;
            // Without an answer nobody knows whether it counted, as when the connection is lost.
            match answer.unwrap_or(Err(UiError::Offline)) {
                // The form stays off until the next card is here.
                Ok(outcome) if !late::has_left(&card) => {
                    tell_element(&card, "impri:decided", &outcome.id, true);
                }
                Ok(outcome) => {
                    // If the page that was on its way does not come, this one is brought up to date like any other.
                    self.is_over.set(true);
                    self.is_sending.set(false);
                    late::decided(outcome.id);
                }
                Err(refusal) => {
                    self.is_sending.set(false);
                    self.refuse(&card, &refusal);
                }
            }
        });
    }

    /// Says why nothing was decided. What is over is shown as it is now, unless that would take typed text away.
    fn refuse(self, card: &Element, refusal: &UiError) {
        let is_over = matches!(refusal, UiError::AlreadyDecided | UiError::Expired | UiError::Stale);
        let has_left = late::has_left(card);
        if is_over && !has_left && !controls::is_touched(card) {
            tell_element(card, "impri:refused", refusal.code(), true);
            return;
        }
        self.is_over.set(is_over);
        self.is_signed_out.set(*refusal == UiError::SignedOut);
        let sentence = refusal_sentence(refusal, |index| path_of(card, index));
        if has_left {
            late::failed(card, &sentence, is_over);
        }
        self.trouble.set(Some(sentence));
    }
}

/// Opens the fold with the controls and goes into the first one.
fn open_editor(event: MouseEvent) {
    let inside = document().get_element_by_id(EDIT);
    let Some(fold) = inside.and_then(|inside| inside.closest("details").ok().flatten()) else { return };
    event.prevent_default();
    _ = fold.set_attribute("open", "");
    fold.scroll_into_view();
    if let Some(control) = within(&fold, "textarea, input, select") {
        focus(&control);
    }
}

/// The path of the value at a place of the action's editable list.
fn path_of(card: &Element, index: u32) -> Option<String> {
    within(card, &format!("label[for='edit-{index}']"))?.text_content()
}

fn ended_sentence(status: &str) -> String {
    let label = status_label(status).to_lowercase();
    format!(
        "This was {label} while you were working on it, so it can't be decided any more. What you typed was not used; \
         it is still here to copy."
    )
}

fn refusal_sentence(refusal: &UiError, path_of: impl Fn(u32) -> Option<String>) -> String {
    if let UiError::BadEdit { index, problem } = refusal
        && let Some(path) = path_of(*index)
    {
        return misfit_sentence(&path, *problem);
    }
    refusal.to_string()
}

fn misfit_sentence(path: &str, problem: EditProblem) -> String {
    format!("The value of {path} {}. Nothing was approved; correct it and try again.", problem.words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_value_is_named() {
        let refusal = UiError::BadEdit { index: 2, problem: EditProblem::NotANumber };
        assert_eq!(
            refusal_sentence(&refusal, |index| Some(format!("payload.{index}"))),
            "The value of payload.2 is not a number. Nothing was approved; correct it and try again."
        );
    }
}
