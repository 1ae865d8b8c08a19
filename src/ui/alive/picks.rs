//! Ticks every row at once, which without a script is a page of its own.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::dom::{each, on_window};
use super::visit::pressed;

/// Follows the link that ticks all rows.
pub fn follow() {
    on_window("click", |event| {
        if pressed(&event, "a[data-pick-all]").is_some() {
            event.prevent_default();
            each(document().query_selector_all(".rows input[name='pick']"), |pick| {
                if let Some(pick) = pick.dyn_ref::<HtmlInputElement>() {
                    pick.set_checked(true);
                }
            });
        }
    });
}
