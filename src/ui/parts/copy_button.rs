//! Copies a text of the page.

use leptos::prelude::*;

use crate::ui::alive::dom::find;

/// A button that copies the text marked with `data-copy`. Without scripts there is none; the text can be selected.
#[island]
pub fn CopyButton() -> impl IntoView {
    let is_alive = RwSignal::new(false);
    let is_copied = RwSignal::new(false);
    Effect::new(move |_| is_alive.set(true));
    let copy = move |_| {
        if let Some(text) = find("[data-copy]").and_then(|element| element.text_content()) {
            _ = window().navigator().clipboard().write_text(&text);
            is_copied.set(true);
        }
    };
    view! {
        <button class="button copy" type="button" hidden=move || !is_alive.get() on:click=copy>
            {move || if is_copied.get() { "Copied" } else { "Copy" }}
        </button>
    }
}
