//! What was typed into a card and not sent: kept in this tab, so that a reload or a lost connection takes nothing away.
//!
//! A draft belongs to who typed it and to one version of one action, by the digest that the form would send. It never
//! leaves the browser, ends with the tab, and is forgotten when the action is decided, when the person signs out in any
//! tab, and when somebody else signs in.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::js_sys::{Date, JSON, Object, Reflect};
use web_sys::{BeforeUnloadEvent, Element, Event, HtmlInputElement, Storage, StorageEvent};

use super::changes;
use super::controls;
use super::dom::{each, find, on_window, told, who, within};

/// What the names of drafts begin with, before the person's mark, the action's id and the digest.
const PREFIX: &str = "impri-draft ";
/// What all tabs of the browser hear when somebody signs out.
const SIGNED_OUT: &str = "impri-signed-out";
/// The forms that end the session.
const WAY_OUT: &str = "form[data-way-out]";
/// What may be typed into a card.
const CONTROLS: &str = "[name^='edits['], #reason";

/// Keeps what is typed, brings it back, and asks before somebody leaves it.
pub fn follow() {
    follow_the_way_out();
    // A page that asks to sign in again, or that was made while the database was away, is nobody's: what was typed waits.
    let Some(who) = who(&document()) else { return };
    let own = format!("{PREFIX}{who} ");
    forget_where(|name| !name.starts_with(&own));
    restore();
    on_window("input", |_| keep());
    on_window("impri:content", |_| restore());
    on_window("impri:decided", |event| {
        if let Some(id) = told(&event) {
            forget(&id);
        }
    });
    on_window("beforeunload", |event| {
        let is_unsent = find(".card").is_some_and(|card| {
            controls::is_touched(&card) && !controls::is_sending(&card) && is_pending(&card)
        });
        if is_unsent && let Some(event) = event.dyn_ref::<BeforeUnloadEvent>() {
            event.prevent_default();
        }
    });
}

fn follow_the_way_out() {
    on_window("submit", |event| {
        let form = event.target().and_then(|form| form.dyn_into::<Element>().ok());
        if form.is_some_and(|form| form.matches(WAY_OUT).unwrap_or(false)) {
            forget_where(|_| true);
            // Another value each time, or the other tabs would not hear of it.
            let tabs = window().local_storage().ok().flatten();
            _ = tabs.map(|tabs| tabs.set_item(SIGNED_OUT, &Date::now().to_string()));
        }
    });
    on_window("storage", |event| {
        if event.dyn_ref::<StorageEvent>().and_then(StorageEvent::key).as_deref() == Some(SIGNED_OUT) {
            forget_where(|_| true);
        }
    });
}

fn is_pending(card: &Element) -> bool {
    card.get_attribute("data-state").as_deref() == Some("pending")
}

fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

/// The name under which the card's draft is kept.
fn name(card: &Element) -> Option<String> {
    let seen = within(card, "#decide [name='seen']")?.dyn_into::<HtmlInputElement>().ok()?.value();
    Some(format!("{PREFIX}{} {} {seen}", who(&document())?, card.get_attribute("data-id")?))
}

fn keep() {
    let Some(card) = find(".card") else { return };
    let (Some(storage), Some(name)) = (storage(), name(&card)) else { return };
    if !controls::is_touched(&card) {
        _ = storage.remove_item(&name);
        return;
    }
    let draft = Object::new();
    each(card.query_selector_all(CONTROLS), |control| {
        if let Some((_, text)) = controls::values(&control).filter(|(before, after)| before != after) {
            _ = Reflect::set(&draft, &control.id().into(), &text.into());
        }
    });
    // A full storage keeps no draft; the page still holds what was typed.
    if let Some(text) = JSON::stringify(&draft).ok().and_then(|text| text.as_string()) {
        _ = storage.set_item(&name, &text);
    }
}

fn restore() {
    let Some(card) = find(".card") else { return };
    if controls::is_touched(&card) {
        // It came with what was typed before.
        changes::show_all();
        return;
    }
    let (Some(storage), Some(name)) = (storage(), name(&card)) else { return };
    let draft = storage.get_item(&name).ok().flatten().and_then(|text| JSON::parse(&text).ok());
    let Some(draft) = draft else { return };
    each(card.query_selector_all(CONTROLS), |control| {
        let text = Reflect::get(&draft, &control.id().into()).ok().and_then(|text| text.as_string());
        if let Some(text) = text {
            controls::fill(&control, &text);
            if let Some(fold) = control.closest("details").ok().flatten() {
                _ = fold.set_attribute("open", "");
            }
        }
    });
    changes::show_all();
    // Whoever counts the edits counts again.
    if let Ok(event) = Event::new("input") {
        _ = card.dispatch_event(&event);
    }
}

/// Forgets what was typed into an action's card.
pub fn forget(id: &str) {
    forget_where(|name| name.split(' ').nth(2) == Some(id));
}

/// Forgets the drafts whose names are meant.
fn forget_where(is_meant: impl Fn(&str) -> bool) {
    let Some(storage) = storage() else { return };
    let names =
        (0..storage.length().unwrap_or_default()).filter_map(|index| storage.key(index).ok().flatten());
    let names: Vec<String> = names.filter(|name| name.starts_with(PREFIX) && is_meant(name)).collect();
    for name in names {
        _ = storage.remove_item(&name);
    }
}
