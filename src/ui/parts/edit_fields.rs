//! The values that the agent allows to be changed, each with a control for its type.

use std::mem::discriminant;

use leptos::prelude::*;
use serde_json::Value;

use super::decision_bar::FORM;
use super::text_area::TextArea;
use crate::wire::card::{EditField, FieldInput};
use crate::wire::error::EditProblem;
use crate::wire::typed::Typed;

/// The id of what the fold holds, so that the bar's Edit leads there: browsers open a fold to get to something in it.
pub const EDIT: &str = "edit";

/// The fold with the controls. They belong to the decide form, wherever it stands.
#[component]
pub fn EditFields(
    /// What may be edited.
    fields: Vec<EditField>,
    /// What was typed and not used yet.
    typed: Typed,
) -> impl IntoView {
    let size = if fields.len() == 1 { "1 value".to_owned() } else { format!("{} values", fields.len()) };
    let texts: Vec<Option<String>> = fields.iter().map(|field| typed_over(field, &typed)).collect();
    let is_open = texts.iter().any(Option::is_some);
    let controls = fields.iter().zip(texts).map(|(field, text)| control(field, text)).collect_view();
    view! {
        <details class="fold edit-fields" open=is_open>
            <summary>
                "Edit " <span class="fold-size">{size}</span>
            </summary>
            <div class="edit-body" id=EDIT>
                {controls}
            </div>
        </details>
    }
}

fn control_id(index: u32) -> String {
    format!("edit-{index}")
}

fn control_name(index: u32) -> String {
    format!("edits[{index}]")
}

/// What was typed over the proposed value.
fn typed_over(field: &EditField, typed: &Typed) -> Option<String> {
    let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    let text = typed.text(&control_name(field.index))?;
    (plain(text) != plain(&field.value)).then(|| text.to_owned())
}

/// What is typed over a value is told from it by `data-proposed`, where the control does not begin with the value.
fn control(field: &EditField, typed: Option<String>) -> impl IntoView + use<> {
    let (id, name) = (control_id(field.index), control_name(field.index));
    let proposed = typed.as_ref().map(|_| field.value.clone());
    let problem = typed.as_deref().and_then(|text| problem(field, text));
    let is_wrong = problem.is_some();
    let problem = problem.map(|problem| format!("This {}.", problem.words()));
    let value = typed.unwrap_or_else(|| field.value.clone());
    let hint_id = format!("{id}-hint");
    let hint = match field.input {
        FieldInput::Text | FieldInput::Line | FieldInput::Boolean => None,
        FieldInput::Number => Some("A number, with a point for decimals."),
        FieldInput::Json => Some("JSON of the same kind."),
    };
    let problem_id = format!("{id}-problem");
    let described_by = match hint {
        Some(_) => format!("{hint_id} {problem_id}"),
        None => problem_id.clone(),
    };
    let input = match field.input {
        FieldInput::Text => {
            let rows = rows_for(&value, 8, 24);
            view! {
                <TextArea
                    id=id.clone()
                    name=name
                    form=FORM
                    text=value
                    rows=rows
                    proposed=proposed
                    described_by=described_by
                />
            }
            .into_any()
        }
        FieldInput::Json => {
            let rows = rows_for(&value, 3, 16);
            view! {
                <TextArea
                    id=id.clone()
                    name=name
                    form=FORM
                    text=value
                    rows=rows
                    proposed=proposed
                    is_wrong=is_wrong
                    input="json"
                    described_by=described_by
                />
            }
            .into_any()
        }
        FieldInput::Boolean => {
            let is_true = value == "true";
            view! {
                <select id=id.clone() name=name form=FORM data-proposed=proposed>
                    <option value="true" selected=is_true>
                        "true"
                    </option>
                    <option value="false" selected=!is_true>
                        "false"
                    </option>
                </select>
            }
            .into_any()
        }
        FieldInput::Line | FieldInput::Number => {
            let is_number = matches!(field.input, FieldInput::Number);
            let (mode, kind) = (is_number.then_some("decimal"), is_number.then_some("number"));
            view! {
                <input
                    type="text"
                    id=id.clone()
                    name=name
                    form=FORM
                    value=value
                    inputmode=mode
                    autocomplete="off"
                    data-input=kind
                    data-proposed=proposed
                    autofocus=is_wrong
                    aria-invalid=is_wrong.then_some("true")
                    aria-describedby=described_by
                />
            }
            .into_any()
        }
    };
    view! {
        <div class="field">
            <label for=id>
                <code>{field.path.clone()}</code>
            </label>
            {input}
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
            <p class="field-problem" id=problem_id>
                {problem}
            </p>
            <div class="change-live"></div>
        </div>
    }
}

/// What is wrong with a text that came back, as the page says it while somebody types.
fn problem(field: &EditField, text: &str) -> Option<EditProblem> {
    let value = |text: &str| serde_json::from_str::<Value>(text.trim()).ok();
    match field.input {
        FieldInput::Number if !value(text).is_some_and(|value| value.is_number()) => {
            Some(EditProblem::NotANumber)
        }
        FieldInput::Json => match (value(text), value(&field.value)) {
            (None, _) => Some(EditProblem::NotJson),
            (Some(new), Some(old)) if discriminant(&new) != discriminant(&old) => {
                Some(EditProblem::OtherType)
            }
            _ => None,
        },
        FieldInput::Number | FieldInput::Text | FieldInput::Line | FieldInput::Boolean => None,
    }
}

/// Lines for a text box: as many as the text has, within bounds, with room to grow.
fn rows_for(text: &str, least: u32, most: u32) -> u32 {
    let lines = text.lines().map(|line| 1 + line.len() / 78).sum::<usize>();
    u32::try_from(lines).unwrap_or(most).saturating_add(1).clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_named_as_in_the_browser() {
        let of = |input, value: &str, text: &str| {
            let field = EditField { index: 0, path: "payload.x".into(), input, value: value.into() };
            problem(&field, text)
        };
        assert_eq!(of(FieldInput::Number, "129", "many"), Some(EditProblem::NotANumber));
        assert_eq!(of(FieldInput::Number, "129", " 99.5 "), None);
        assert_eq!(of(FieldInput::Json, "[1]", "[1"), Some(EditProblem::NotJson));
        assert_eq!(of(FieldInput::Json, "[1]", "{}"), Some(EditProblem::OtherType));
        assert_eq!(of(FieldInput::Json, "null", "null"), None);
        assert_eq!(of(FieldInput::Line, "a", "{"), None);
    }
}
