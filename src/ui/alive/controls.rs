//! The controls of the decide form: how many differ from what was proposed, and whether anything was typed.
//!
//! What was proposed is what the server wrote into the page: a control remembers it as its default, or names it.

use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlOptionElement, HtmlSelectElement, HtmlTextAreaElement};

use super::dom::{each, within};

/// Names what was proposed where a control begins with something else.
const PROPOSED: &str = "data-proposed";

/// A value that differs from the proposal.
pub struct Change {
    /// Where the value stands in the action.
    pub path: String,
    /// As it was proposed.
    pub before: String,
    /// As it was typed.
    pub after: String,
}

/// How many values of the card differ from the proposal.
pub fn edits(card: &Element) -> u32 {
    let mut count = 0;
    each(card.query_selector_all("[name^='edits[']"), |control| count += u32::from(differs(&control)));
    count
}

/// The values of the card that differ from the proposal.
pub fn changes(card: &Element) -> Vec<Change> {
    let mut changes = Vec::new();
    each(card.query_selector_all("[name^='edits[']"), |control| changes.extend(change(&control)));
    changes
}

/// What was changed in a control.
pub fn change(control: &Element) -> Option<Change> {
    let (before, after) = values(control).filter(|(before, after)| before != after)?;
    let label = control.closest(".field").ok().flatten().and_then(|field| within(&field, "label"));
    let path = label.and_then(|label| label.text_content()).unwrap_or_default();
    Some(Change { path: path.trim().to_owned(), before, after })
}

/// Whether there is something typed on the card that was not sent.
pub fn is_touched(card: &Element) -> bool {
    edits(card) > 0 || within(card, "#reason").is_some_and(|reason| differs(&reason))
}

/// Whether a decision about the card is on its way.
pub fn is_sending(card: &Element) -> bool {
    within(card, "form[data-sending]").is_some()
}

fn differs(control: &Element) -> bool {
    values(control).is_some_and(|(before, after)| before != after)
}

/// What was proposed for a control, and what it holds.
pub fn values(control: &Element) -> Option<(String, String)> {
    let (default, held) = default_and_held(control)?;
    // A control that came with what was typed before says itself what was proposed.
    Some((control.get_attribute(PROPOSED).unwrap_or(default), held))
}

/// What a control held when the page came, and what it holds.
fn default_and_held(control: &Element) -> Option<(String, String)> {
    if let Some(area) = control.dyn_ref::<HtmlTextAreaElement>() {
        return Some((area.default_value().ok()?, area.value()));
    }
    if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
        return Some((input.default_value(), input.value()));
    }
    let options = control.dyn_ref::<HtmlSelectElement>()?.options();
    let (mut before, mut after) = (None, None);
    for index in 0..options.length() {
        let option = options.item(index).and_then(|option| option.dyn_into::<HtmlOptionElement>().ok())?;
        if option.default_selected() {
            before = Some(option.value());
        }
        if option.selected() {
            after = Some(option.value());
        }
    }
    before.zip(after)
}

/// Puts a text into a control, as if it had been typed.
pub fn fill(control: &Element, text: &str) {
    if let Some(area) = control.dyn_ref::<HtmlTextAreaElement>() {
        area.set_value(text);
    } else if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
        input.set_value(text);
    } else if let Some(select) = control.dyn_ref::<HtmlSelectElement>() {
        select.set_value(text);
    }
}
