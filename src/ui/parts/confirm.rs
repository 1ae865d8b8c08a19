//! One more look before what can't be taken back.

use leptos::ev::Event;
use leptos::html;
use leptos::prelude::*;

use super::icons::{self, Icon};
use crate::domain::decision::NOT_IDEMPOTENT;
use crate::ui::alive::dom::find;
use crate::ui::alive::{changes, look};

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// How many values differ from the proposal.
    pub edits: u32,
    /// Each run has its own effect.
    pub is_once: bool,
}

impl Question {
    /// Asks only about what deserves a second look: what is edited, and what is not idempotent.
    pub fn about(edits: u32, is_once: bool) -> Option<Self> {
        (edits > 0 || is_once).then_some(Self { edits, is_once })
    }
}

/// A sheet over the page that repeats what matters. It opens when there is a question.
#[component]
pub fn Confirm(
    /// What is asked, if anything is.
    question: RwSignal<Option<Question>>,
    /// What a yes does.
    on_yes: Callback<()>,
) -> impl IntoView {
    let sheet = NodeRef::<html::Dialog>::new();
    let [facts, list, content] = [(); 3].map(|()| NodeRef::<html::Div>::new());
    Effect::new(move |_| {
        let (Some(sheet), Some(list)) = (sheet.get(), list.get()) else { return };
        let (Some(facts), Some(content)) = (facts.get(), content.get()) else { return };
        match question.get() {
            Some(asked) if !sheet.open() => {
                changes::list_in(&list);
                look::show(&facts, &content, asked.edits > 0);
                _ = sheet.show_modal();
            }
            None if sheet.open() => sheet.close(),
            _ => {}
        }
    });
    let title = move || question.get().map(|_| find("#card-title").and_then(|title| title.text_content()));
    let is_once = move || question.get().is_some_and(|question| question.is_once);
    let yes = move || match question.get().map_or(0, |question| question.edits) {
        0 => "Yes, approve".to_owned(),
        1 => "Yes, approve with 1 edit".to_owned(),
        count => format!("Yes, approve with {count} edits"),
    };
    view! {
        <dialog
            class="sheet confirm"
            aria-labelledby="confirm-title"
            node_ref=sheet
            on:close=move |_: Event| question.set(None)
        >
            <h2 id="confirm-title">"Approve this?"</h2>
            <p class="confirm-what">{title}</p>
            <div class="confirm-facts" node_ref=facts></div>
            <p class="warning" hidden=move || !is_once()>
                <Icon path=icons::CAUTION />
                <strong>{NOT_IDEMPOTENT}</strong>
            </p>
            <div class="confirm-matter" tabindex="0" role="group" aria-label="What you approve">
                <div class="confirm-changes" node_ref=list></div>
                <div class="confirm-content" node_ref=content></div>
            </div>
            <div class="decision-buttons">
                <button
                    class="button button--yes"
                    type="button"
                    autofocus
                    on:click=move |_| {
                        question.set(None);
                        on_yes.run(());
                    }
                >
                    <Icon path=icons::CHECK />
                    {yes}
                </button>
                <button class="button" type="button" on:click=move |_| question.set(None)>
                    "Back"
                </button>
            </div>
        </dialog>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_deserves_a_second_look_is_asked_about() {
        assert_eq!(Question::about(0, false), None);
        assert!(Question::about(1, false).is_some() && Question::about(0, true).is_some());
    }
}
