//! The number that waits, on the icon of the installed app.
//!
//! Badging API, W3C; where a browser has none, nothing happens.

use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::{Function, Reflect};

use super::dom::find;

/// Shows what the head of the page says.
pub fn show() {
    let text = find(".nav .count").and_then(|count| count.text_content()).unwrap_or_default();
    let count: u32 = text.trim().trim_end_matches('+').parse().unwrap_or_default();
    let navigator = window().navigator();
    // An app without a window or a site that is not installed may refuse, which is nobody's concern.
    let set = Reflect::get(&navigator, &JsValue::from_str("setAppBadge"));
    if let Some(set) = set.ok().and_then(|set| set.dyn_into::<Function>().ok()) {
        _ = set.call1(&navigator, &JsValue::from(count));
    }
}
