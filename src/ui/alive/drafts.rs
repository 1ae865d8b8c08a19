//! What was typed into a card and not sent: kept in this tab, so that a reload or a lost connection takes nothing away.
//!
//! A draft belongs to one version of one action, by the digest that the form would send. It never leaves the browser,
//! ends with the tab, and is forgotten when the action is decided or the person signs out.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::js_sys::{JSON, Object, Reflect};
use web_sys::{BeforeUnloadEvent, Element, Event, HtmlInputElement, Storage};

use super::changes;
use super::controls;
use super::dom::{each, find, on_window, told, within};

/// What the names of drafts begin with, before the action's id and the digest.
const PREFIX: &str = "impri-draft ";
/// What may be typed into a card.
const CONTROLS: &str = "[name^='edits['], #reason";

/// Keeps what is typed, brings it back, and asks before somebody leaves it.
pub fn follow() {
    if find("[data-live]").is_none() {
        return forget_all();
    }
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

fn is_pending(card: &Element) -> bool {
    card.get_attribute("data-state").as_deref() == Some("pending")
}

fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

/// The name under which the card's draft is kept.
fn name(card: &Element) -> Option<String> {
    let seen = within(card, "#decide [name='seen']")?.dyn_into::<HtmlInputElement>().ok()?.value();
    Some(format!("{PREFIX}{} {seen}", card.get_attribute("data-id")?))
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

fn forget(id: &str) {
    forget_where(|name| name.strip_prefix(PREFIX).is_some_and(|rest| rest.starts_with(id)));
}

fn forget_all() {
    forget_where(|name| name.starts_with(PREFIX));
}

fn forget_where(is_meant: impl Fn(&str) -> bool) {
    let Some(storage) = storage() else { return };
    let names =
        (0..storage.length().unwrap_or_default()).filter_map(|index| storage.key(index).ok().flatten());
    let names: Vec<String> = names.filter(|name| is_meant(name)).collect();
    for name in names {
        _ = storage.remove_item(&name);
    }
}
