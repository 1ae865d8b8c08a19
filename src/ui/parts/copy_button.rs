//! Copies a text of the page.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use web_sys::Element;

use crate::ui::alive::dom::within;

/// A button that copies the text marked with `data-copy` in the `command` that it stands in. Without scripts there is
/// none; the text can be selected.
#[island]
pub fn CopyButton() -> impl IntoView {
    let is_alive = RwSignal::new(false);
    let is_copied = RwSignal::new(false);
    Effect::new(move |_| is_alive.set(true));
    let copy = move |event: MouseEvent| {
        let command = event_target::<Element>(&event).closest(".command").ok().flatten();
        let text = command.and_then(|command| within(&command, "[data-copy]")?.text_content());
        if let Some(text) = text {
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
