//! Single keys for who decides all day. They press what is on the page, so nothing can be done with them that can't be
//! done without, and what is switched off stays off.

use std::cell::Cell;
use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{
    Element, HtmlDialogElement, HtmlElement, KeyboardEvent, ScrollIntoViewOptions, ScrollLogicalPosition,
};

use super::dom::{find, focus, on_window, within};
use super::swap;
use crate::ui::parts::shortcuts::{PAGES, SHEET};

/// A second key belongs to `g` for this long.
const PAUSE: Duration = Duration::from_millis(1_500);

/// Somebody who presses what stands for nothing is typing. No key counts until they rest for this long, in
/// milliseconds, or press Escape: a sentence that was meant for a field decides nothing.
const REST_MS: f64 = 2_500.0;

/// Nobody reads a card within this time after the decision about the one before, in milliseconds.
const EARLY_MS: f64 = 600.0;

/// Every key that stands for something, and the one that scrolls.
const KNOWN: &str = "jkou/varecx?g ";

/// The row of the card in sight.
const CURRENT: &str = ".rows > :has([aria-current])";

thread_local! {
    static GOES: Cell<u32> = const { Cell::new(0) };
    static IS_GOING: Cell<bool> = const { Cell::new(false) };
    /// When something was typed last, by the clock of events.
    static TYPED_AT: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
    /// When the card that was in sight was decided.
    static DECIDED_AT: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// Listens to the keys.
pub fn follow() {
    on_window("impri:decided", |event| DECIDED_AT.set(event.time_stamp()));
    on_window("keydown", |event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>()
            && is_for_us(event)
            && !is_typed(event)
            && press(&event.key(), event.repeat())
        {
            event.prevent_default();
        }
    });
}

/// Whether a key is one of a text that has no field.
fn is_typed(event: &KeyboardEvent) -> bool {
    let (key, now) = (event.key(), event.time_stamp());
    if key == "Escape" {
        TYPED_AT.set(f64::NEG_INFINITY);
    }
    if key.chars().count() != 1 || event.repeat() {
        return false;
    }
    let was_typing = now - TYPED_AT.get() < REST_MS;
    // Nobody has read the next card yet: whoever presses a key for it goes on writing about the one before.
    let is_early = "arec".contains(&key) && !IS_GOING.get() && now - DECIDED_AT.get() < EARLY_MS;
    let is_typed = was_typing || is_early || !(IS_GOING.get() || KNOWN.contains(&key));
    if is_typed {
        TYPED_AT.set(now);
    }
    if was_typing && "ar".contains(&key) {
        swap::trouble(
            "Nothing was decided: the keys rest because something was typed. Press Escape to use them.",
        );
    }
    is_typed
}

/// Not while something is typed, chosen or asked, nor with a key that belongs to the browser.
fn is_for_us(event: &KeyboardEvent) -> bool {
    let is_on = find("html[data-shortcuts='on']").is_some();
    let is_plain = !(event.default_prevented()
        || event.ctrl_key()
        || event.meta_key()
        || event.alt_key()
        || event.is_composing());
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let takes_text = target.is_some_and(|target| {
        target
            .closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]")
            .ok()
            .flatten()
            .is_some()
    });
    is_on
        && is_plain
        && (event.key() == "Escape" || !takes_text)
        && find("dialog[open], :popover-open").is_none()
}

/// Does what a key stands for; says whether it stands for anything here.
fn press(key: &str, is_held: bool) -> bool {
    if IS_GOING.take() {
        let page = PAGES.iter().find(|(letter, _, _)| *letter == key);
        return page.is_some_and(|(_, address, _)| location().assign(address).is_ok());
    }
    match key {
        "j" => step(true),
        "k" => step(false),
        "o" => open(),
        "u" => back(),
        "/" => find("input[type=search]").map(|field| focus(&field)).is_some(),
        "v" => click(".preview .switch input:not(:checked)"),
        "Escape" => leave(),
        // A key that is held down repeats itself; what it stands for was meant once.
        _ if is_held => false,
        "a" => decide("approve"),
        "r" => decide("reject"),
        "e" => click(".decision-bar a[href='#edit']"),
        "c" => give_reason(),
        "x" => click(&format!("{CURRENT} input[type=checkbox]")),
        "?" => show_sheet(),
        "g" => begin_to_go(),
        _ => false,
    }
}

/// What is ticked is meant, which is looked at together before it counts; without a tick the card.
fn decide(verdict: &str) -> bool {
    let form = if find(".rows input[type=checkbox]:checked").is_some() { "#bulk" } else { ".decision-bar" };
    click(&format!("{form} [value={verdict}]"))
}

fn click(selector: &str) -> bool {
    let found = find(selector).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    found.inspect(HtmlElement::click).is_some()
}

/// To the list. Where it is beside the card, to the row of the card: the card in sight stays.
fn back() -> bool {
    let is_beside = find(".inbox-side").is_some_and(|side| side.client_height() > 0);
    let row = find(CURRENT).filter(|_| is_beside).and_then(|row| within(&row, "a[data-swap]"));
    row.map_or_else(
        || click("a.back"),
        |link| {
            focus(&link);
            true
        },
    )
}

/// Into the field for a reason.
fn give_reason() -> bool {
    click(".decision-bar .reason:not([open]) > summary") || focus_reason()
}

fn focus_reason() -> bool {
    find(".decision-bar .reason[open] textarea").map(|field| focus(&field)).is_some()
}

/// Whoever opens the field for a reason writes one.
pub fn follow_reasons() {
    on_window("click", |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target
            .is_some_and(|target| target.closest(".decision-bar .reason > summary").ok().flatten().is_some())
        {
            // The browser opens it after this.
            set_timeout(|| _ = focus_reason(), Duration::ZERO);
        }
    });
}

/// To the next card of the list, or the one before.
fn step(forward: bool) -> bool {
    // Where the focus is comes first: whoever is quick is further than the card that is on its way.
    let current = find(".rows > :has(a:focus)").or_else(|| find(CURRENT));
    let row = match (current, forward) {
        (Some(row), true) => row.next_element_sibling(),
        (Some(row), false) => row.previous_element_sibling(),
        // The card in sight is past deciding, and the page knows what comes after it.
        (None, _) => match find("#next a").and_then(|link| link.get_attribute("data-next")) {
            Some(id) => match find(&format!(".rows > [data-key='{id}']")) {
                Some(row) => Some(row),
                None => return click("#next a"),
            },
            None => find(".rows > :first-child"),
        },
    };
    let Some(link) = row.and_then(|row| within(&row, "a[data-swap]")) else { return false };
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    link.scroll_into_view_with_scroll_into_view_options(&options);
    focus(&link);
    link.dyn_ref::<HtmlElement>().map(HtmlElement::click).is_some()
}

/// Into the card: its title, from where a reader goes on.
fn open() -> bool {
    if find(".inbox[data-shown='list'] .rows [aria-current]").is_some() && find("#card-title").is_none() {
        return click(".rows [aria-current]");
    }
    find("#card-title").map(|title| focus(&title)).is_some()
}

/// Out of a field, so that the keys count again.
fn leave() -> bool {
    let inside = document()
        .active_element()
        .filter(|element| element.matches("input, textarea, select").unwrap_or(false));
    inside
        .and_then(|element| element.dyn_into::<HtmlElement>().ok())
        .is_some_and(|element| element.blur().is_ok())
}

fn show_sheet() -> bool {
    let sheet =
        document().get_element_by_id(SHEET).and_then(|sheet| sheet.dyn_into::<HtmlDialogElement>().ok());
    sheet.is_some_and(|sheet| sheet.show_modal().is_ok())
}

fn begin_to_go() -> bool {
    let turn = GOES.get().wrapping_add(1);
    GOES.set(turn);
    IS_GOING.set(true);
    set_timeout(
        move || {
            if turn == GOES.get() {
                IS_GOING.set(false);
            }
        },
        PAUSE,
    );
    true
}
