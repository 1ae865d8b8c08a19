//! Why a decision was refused, in the words of its card.

use leptos::prelude::*;

use super::icons::{self, Icon};
use super::links::with_query;
use super::status_badge::status_label;
use crate::ui::desk::Desk;
use crate::wire::card::EditField;
use crate::wire::error::UiError;

/// A sentence that has to be read now.
#[component]
pub fn Alert(
    /// What happened, that nothing was approved, and what to do.
    sentence: String,
) -> impl IntoView {
    view! {
        <div class="alert" role="alert">
            <Icon path=icons::CAUTION />
            <p>{sentence}</p>
        </div>
    }
}

/// What went wrong with the card on the table, if anything did.
#[component]
pub fn DeskAlert(
    /// The table.
    desk: Desk,
    /// What may be edited on the card.
    fields: StoredValue<Vec<EditField>>,
) -> impl IntoView {
    move || {
        let sentence = match (desk.ended(), desk.refusal()) {
            (Some(status), _) => ended_sentence(&status),
            (None, Some(refusal)) => fields.with_value(|fields| refusal_sentence(&refusal, fields)),
            (None, None) => return None,
        };
        let sign_in = matches!(desk.refusal(), Some(UiError::SignedOut)).then(|| {
            let next = desk.id().map(|id| format!("/inbox/{id}"));
            let address = with_query("/sign-in", &[("next", next.as_deref())]);
            view! {
                <p>
                    <a href=address target="_blank">
                        "Sign in in a new tab"
                    </a>
                    ", then press the button again."
                </p>
            }
        });
        Some(view! {
            <Alert sentence=sentence />
            {sign_in}
        })
    }
}

fn ended_sentence(status: &str) -> String {
    let label = status_label(status).to_lowercase();
    format!(
        "This was {label} while you were working on it, so it can't be decided any more. What you typed was not used; \
         it is still here to copy."
    )
}

fn refusal_sentence(refusal: &UiError, fields: &[EditField]) -> String {
    if let UiError::BadEdit { index, problem } = refusal
        && let Some(field) = fields.iter().find(|field| field.index == *index)
    {
        return format!(
            "The value of {} {}. Nothing was approved; correct it and try again.",
            field.path,
            problem.words()
        );
    }
    refusal.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::card::FieldInput;
    use crate::wire::error::EditProblem;

    #[test]
    fn a_refused_value_is_named() {
        let fields = [EditField {
            index: 2,
            path: "payload.amount".into(),
            input: FieldInput::Number,
            value: "42".into(),
        }];
        let sentence =
            refusal_sentence(&UiError::BadEdit { index: 2, problem: EditProblem::NotANumber }, &fields);
        assert_eq!(
            sentence,
            "The value of payload.amount is not a number. Nothing was approved; correct it and try again."
        );
    }
}
