//! Goes from card to card without a new document: the list stays as it is, the address changes with the card.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, MouseEvent, UrlSearchParams};

use super::dom::{find, on_window, told};
use super::fetch::{self, Answer};
use super::swap::{self, Why};
use super::{news, reader};

/// The next card comes sooner than the second half of a double click, and it comes under the same pointer.
const SETTLE: Duration = Duration::from_millis(600);

thread_local! {
    static TICKET: Cell<u32> = const { Cell::new(0) };
    static UNDER_WAY: Cell<bool> = const { Cell::new(false) };
    static SHOWN: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Which visit this is; another one after every step.
pub fn ticket() -> u32 {
    TICKET.get()
}

/// Whether another page is on its way.
pub fn is_under_way() -> bool {
    UNDER_WAY.get()
}

/// The path and the query of the address.
pub fn here() -> (String, String) {
    let location = location();
    (location.pathname().unwrap_or_default(), location.search().unwrap_or_default())
}

/// An address with some values of its query changed or taken off.
pub fn changed(path: &str, search: &str, changes: &[(&str, Option<String>)]) -> String {
    let Ok(query) = UrlSearchParams::new_with_str(search) else { return path.to_owned() };
    for (name, value) in changes {
        match value {
            Some(value) => query.set(name, value),
            None => query.delete(name),
        }
    }
    let query = String::from(query.to_string());
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Follows links within the inbox, and the browser's own steps between them.
pub fn follow_links() {
    remember();
    on_window("click", |event| {
        let followed = pressed(&event, "a[data-swap]").and_then(|link| link.get_attribute("href"));
        if let Some(address) = followed {
            event.prevent_default();
            reader::remember_scroll();
            push(&address, false);
            go(address, Duration::ZERO);
        }
    });
    on_window("click", |event| {
        if pressed(&event, "a[data-newest]").is_some() {
            event.prevent_default();
            let (path, search) = here();
            push(&changed(&path, &search, &[("cursor", None)]), false);
            reader::go_to_top();
            news::let_in();
        }
    });
    on_window("popstate", |_| {
        let (path, search) = here();
        let address = format!("{path}{search}");
        // A step to a place within the page is the browser's.
        if SHOWN.with_borrow(|shown| *shown != address) {
            remember();
            go(address, Duration::ZERO);
        }
    });
}

/// After a decision its row goes and the next card comes.
pub fn follow_decisions() {
    on_window("impri:decided", |event| {
        let Some(id) = told(&event) else { return };
        let (path, search) = here();
        if path != "/inbox" {
            let done = [("done", Some("1".to_owned())), ("refused", None)];
            return go(changed(&path, &search, &done), SETTLE);
        }
        let next = changed(&path, &search, &[("at", take_row(&id)), ("refused", None), ("picked", None)]);
        push(&next, true);
        let (_, search) = here();
        go(changed(&path, &search, &[("done", Some(id))]), SETTLE);
    });
}

/// After a refusal because something happened elsewhere, shows what happened, and why nothing was decided.
pub fn follow_refusals() {
    on_window("impri:refused", |event| {
        let Some(code) = told(&event) else { return };
        let (path, search) = here();
        let at = find("#card-pane > .card").and_then(|card| card.get_attribute("data-id"));
        let mut changes = vec![("done", None), ("refused", Some(code))];
        if path == "/inbox" {
            changes.push(("at", at));
        }
        go(changed(&path, &search, &changes), Duration::ZERO);
    });
}

/// Takes a row out of the list and tells which one moves into its place.
fn take_row(id: &str) -> Option<String> {
    let row = find(&format!(".rows > [data-key='{id}']"))?;
    let next = row.next_element_sibling().or_else(|| row.previous_element_sibling());
    row.remove();
    next.and_then(|next| next.get_attribute("data-key"))
}

/// The link of a kind that was pressed, plainly.
pub fn pressed(event: &Event, selector: &str) -> Option<Element> {
    let event = event.dyn_ref::<MouseEvent>()?;
    let is_plain = event.button() == 0
        && !(event.default_prevented()
            || event.meta_key()
            || event.ctrl_key()
            || event.shift_key()
            || event.alt_key());
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest(selector).ok().flatten().filter(|_| is_plain)
}

fn remember() {
    let (path, search) = here();
    SHOWN.set(format!("{path}{search}"));
}

fn push(address: &str, replace: bool) {
    if let Ok(history) = window().history() {
        _ = if replace {
            history.replace_state_with_url(&JsValue::NULL, "", Some(address))
        } else {
            history.push_state_with_url(&JsValue::NULL, "", Some(address))
        };
    }
    remember();
}

/// Shows a page of the inbox. The card in sight stays, switched off, until the new one is here, and the new one stays
/// switched off for as long as it is to settle.
fn go(address: String, settle: Duration) {
    // Who is within the list stays there, whatever came.
    let seen = reader::seen().filter(|_| reader::is_within_list());
    let address = match (address.split_once('?'), seen) {
        (Some((path, search)), seen @ Some(_)) => changed(path, search, &[("seen", seen)]),
        (None, seen @ Some(_)) => changed(&address, "", &[("seen", seen)]),
        _ => address,
    };
    let ticket = TICKET.get().wrapping_add(1);
    TICKET.set(ticket);
    UNDER_WAY.set(true);
    swap::set_waiting(true);
    spawn_local(async move {
        let answer = fetch::page(&address).await;
        if ticket != TICKET.get() {
            return;
        }
        UNDER_WAY.set(false);
        match answer {
            Ok(Answer::Page(page)) => {
                swap::apply(&page, Why::Asked);
                reader::scroll();
            }
            Ok(Answer::Elsewhere) => _ = location().reload(),
            Err(_) => swap::trouble("The card can't be loaded. Check the connection and choose it again."),
        }
        swap::set_waiting(false);
        if settle.is_zero() {
            swap::switch_on();
        } else {
            set_timeout(
                move || {
                    if ticket == TICKET.get() {
                        swap::switch_on();
                    }
                },
                settle,
            );
        }
        news::after_visit();
    });
}
