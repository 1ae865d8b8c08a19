//! Whether what is typed fits its place, said beside the control before anything is sent. The server judges again.

use leptos::wasm_bindgen::JsValue;
use web_sys::Element;
use web_sys::js_sys::{Array, JSON};

use super::controls;
use super::dom::{each, within};
use crate::wire::error::EditProblem;

/// A value that does not fit.
pub struct Misfit {
    /// Its control.
    pub control: Element,
    /// Where the value stands in the action.
    pub path: String,
    /// What is wrong with it.
    pub problem: EditProblem,
}

/// The first changed value of a card that does not fit.
pub fn first_misfit(card: &Element) -> Option<Misfit> {
    let mut first = None;
    each(card.query_selector_all("[name^='edits[']"), |control| {
        if first.is_none()
            && let Some(problem) = problem(&control)
        {
            let path = controls::change(&control).map(|change| change.path).unwrap_or_default();
            first = Some(Misfit { control, path, problem });
        }
    });
    first
}

/// Says beside a control what is wrong with it, or that nothing is any more.
pub fn mark(control: &Element) {
    let problem = problem(control);
    let field = control.closest(".field").ok().flatten();
    let place = field.and_then(|field| within(&field, ".field-problem"));
    let sentence = problem.map(|problem| format!("This {}.", problem.words()));
    if let Some(place) = place {
        place.set_text_content(sentence.as_deref());
    }
    _ = match problem {
        Some(_) => control.set_attribute("aria-invalid", "true"),
        None => control.remove_attribute("aria-invalid"),
    };
}

/// What is wrong with what was typed, as far as a browser can tell.
fn problem(control: &Element) -> Option<EditProblem> {
    let (before, after) = controls::values(control).filter(|(before, after)| before != after)?;
    let value = JSON::parse(&after).ok();
    match control.get_attribute("data-input")?.as_str() {
        "number" => value.and_then(|value| value.as_f64()).is_none().then_some(EditProblem::NotANumber),
        "json" => match value {
            None => Some(EditProblem::NotJson),
            Some(value) => {
                let proposed = JSON::parse(&before).ok()?;
                (sort(&value) != sort(&proposed)).then_some(EditProblem::OtherType)
            }
        },
        _ => None,
    }
}

/// The JSON type of a value: its name in JavaScript, with lists and null told apart from objects.
fn sort(value: &JsValue) -> (bool, bool, String) {
    (Array::is_array(value), value.is_null(), value.js_typeof().as_string().unwrap_or_default())
}
