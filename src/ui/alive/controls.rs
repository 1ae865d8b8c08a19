//! The controls of the decide form: how many differ from what was proposed, and whether anything was typed.
//!
//! What was proposed is what the server wrote into the page, which a control remembers as its default.

use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlOptionElement, HtmlSelectElement, HtmlTextAreaElement};

use super::dom::{each, within};

/// How many values of the card differ from the proposal.
pub fn edits(card: &Element) -> u32 {
    let mut count = 0;
    each(card.query_selector_all("[name^='edits[']"), |control| count += u32::from(differs(&control)));
    count
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
    if let Some(area) = control.dyn_ref::<HtmlTextAreaElement>() {
        return area.default_value().is_ok_and(|proposed| area.value() != proposed);
    }
    if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
        return input.value() != input.default_value();
    }
    let Some(select) = control.dyn_ref::<HtmlSelectElement>() else { return false };
    let chosen =
        select.selected_options().item(0).and_then(|option| option.dyn_into::<HtmlOptionElement>().ok());
    chosen.is_some_and(|option| !option.default_selected())
}
