//! The decision: one form, loud, always within reach.

use leptos::ev::{MouseEvent, SubmitEvent};
use leptos::form::FromFormData;
use leptos::prelude::*;

use super::alert::DeskAlert;
use super::edit_fields::EDIT;
use super::icons::{self, Icon};
use super::text_area::TextArea;
use crate::rpc::actions::DecideAction;
use crate::ui::desk::Desk;
use crate::wire::card::EditField;

/// The id of the decide form.
pub const FORM: &str = "decide";

/// Approve, Edit where something may be edited, Reject, and a reason for who wants to give one.
///
/// The form works alone. In the browser the same submit is sent without leaving the page.
#[component]
pub fn DecisionBar(
    /// The table.
    desk: Desk,
    /// The action.
    id: String,
    /// The digest of what this page shows.
    seen: String,
    /// What may be edited.
    fields: StoredValue<Vec<EditField>>,
) -> impl IntoView {
    let is_editable = fields.with_value(|fields| !fields.is_empty());
    let approve = move || match desk.edits() {
        0 => "Approve".to_owned(),
        1 => "Approve with 1 edit".to_owned(),
        count => format!("Approve with {count} edits"),
    };
    let edit = is_editable.then(|| {
        view! {
            <a class="button" href=format!("#{EDIT}") rel="external" on:click=open_editor>
                <Icon path=icons::PENCIL />
                "Edit"
            </a>
        }
    });
    let note = if is_editable {
        "Some values can be edited."
    } else {
        "This can't be edited: approve it as it is, or not."
    };
    view! {
        <form
            id=FORM
            class="decision-bar"
            method="post"
            action="/rpc/decide_action"
            autocomplete="off"
            on:submit=move |event| submit(desk, &event)
        >
            <input type="hidden" name="id" value=id />
            <input type="hidden" name="seen" value=seen />
            // Enter in a one-line field presses the first submit button of its form. This one does nothing.
            <button type="submit" disabled hidden></button>
            <DeskAlert desk=desk fields=fields />
            <div class="decision-buttons">
                <button
                    class="button button--yes"
                    name="verdict"
                    value="approve"
                    disabled=move || desk.is_blocked()
                >
                    <Icon path=icons::CHECK />
                    {approve}
                </button>
                {edit}
                <button class="button button--no" name="verdict" value="reject" disabled=move || desk.is_blocked()>
                    <Icon path=icons::CROSS />
                    "Reject"
                </button>
            </div>
            <details class="reason" on:input=move |event| desk.note_reason(&event_target_value(&event))>
                <summary>"Add a reason"</summary>
                <div class="field">
                    <label for="reason">"Reason, for the agent and the history (optional)"</label>
                    <TextArea id="reason".to_owned() name="comment".to_owned() form=FORM rows=2 />
                </div>
            </details>
            <p class="decision-note">{note}</p>
        </form>
    }
}

/// Sends the form from the page. What the page can't read is left to the browser, which sends it itself.
fn submit(desk: Desk, event: &SubmitEvent) {
    if desk.is_blocked_now() {
        event.prevent_default();
        return;
    }
    if let Ok(form) = DecideAction::from_event(event) {
        event.prevent_default();
        desk.decide(form);
    }
}

/// Opens the fold with the controls and goes into the first one.
fn open_editor(event: MouseEvent) {
    let inside = document().get_element_by_id(EDIT);
    let Some(fold) = inside.and_then(|inside| inside.closest("details").ok().flatten()) else { return };
    event.prevent_default();
    _ = fold.set_attribute("open", "");
    fold.scroll_into_view();
    if let Ok(Some(control)) = fold.query_selector("textarea, input, select") {
        super::focus(&control);
    }
}
