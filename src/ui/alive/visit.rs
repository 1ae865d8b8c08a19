//! Goes from card to card without a new document: the list stays as it is, the address changes with the card.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, MouseEvent, UrlSearchParams};

use super::dom::{find, on_window, told, within};
use super::fetch::{self, Answer};
use super::news;
use super::swap::{self, Why};
use crate::ui::parts::links::with_query;

/// The next card comes sooner than the second half of a double click, and it comes under the same pointer.
const SETTLE: Duration = Duration::from_millis(600);

thread_local! {
    static TICKET: Cell<u32> = const { Cell::new(0) };
    static UNDER_WAY: Cell<bool> = const { Cell::new(false) };
    static SHOWN: RefCell<String> = const { RefCell::new(String::new()) };
    static LIST_SCROLL: Cell<f64> = const { Cell::new(0.0) };
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

/// One value of a query.
pub fn query_value(search: &str, name: &str) -> Option<String> {
    UrlSearchParams::new_with_str(search).ok()?.get(name)
}

/// Follows links within the inbox, and the browser's own steps between them.
pub fn follow_links() {
    remember();
    on_window("click", |event| {
        if let Some(address) = followed(&event) {
            event.prevent_default();
            if find(".inbox[data-shown='list']").is_some() {
                LIST_SCROLL.set(window().scroll_y().unwrap_or_default());
            }
            push(&address, false);
            go(address, Duration::ZERO);
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
            return go(format!("{path}?done=1"), SETTLE);
        }
        let cursor = query_value(&search, "cursor");
        let next = take_row(&id);
        let place = [("cursor", cursor.as_deref()), ("at", next.as_deref())];
        push(&with_query("/inbox", &place), true);
        go(with_query("/inbox", &[place[0], place[1], ("done", Some(&id))]), SETTLE);
    });
}

/// After a refusal because something happened elsewhere, shows what happened, and why nothing was decided.
pub fn follow_refusals() {
    on_window("impri:refused", |event| {
        let Some(code) = told(&event) else { return };
        let (path, search) = here();
        let at = find("#card-pane > .card").and_then(|card| card.get_attribute("data-id"));
        let (cursor, at) = match path == "/inbox" {
            true => (query_value(&search, "cursor"), at),
            false => (None, None),
        };
        let address = [("cursor", cursor.as_deref()), ("at", at.as_deref()), ("refused", Some(&code))];
        go(with_query(&path, &address), Duration::ZERO);
    });
}

/// Takes a row out of the list and tells which one moves into its place.
fn take_row(id: &str) -> Option<String> {
    let row = find(&format!(".rows > [data-key='{id}']"))?;
    let next = row.next_element_sibling().or_else(|| row.previous_element_sibling());
    row.remove();
    next.and_then(|next| next.get_attribute("data-key"))
}

/// The address of a link that is followed here: pressed plainly, and marked.
fn followed(event: &Event) -> Option<String> {
    let event = event.dyn_ref::<MouseEvent>()?;
    let is_plain = event.button() == 0
        && !(event.default_prevented()
            || event.meta_key()
            || event.ctrl_key()
            || event.shift_key()
            || event.alt_key());
    let target = event.target()?.dyn_into::<Element>().ok()?;
    target.closest("a[data-swap]").ok().flatten().filter(|_| is_plain)?.get_attribute("href")
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
                scroll();
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

/// A phone begins to read at the top, and finds its place in the list again.
fn scroll() {
    if let Some(inbox) = find(".inbox") {
        let is_list = inbox.get_attribute("data-shown").as_deref() == Some("list");
        let top = if is_list && within(&inbox, ".rows").is_some() { LIST_SCROLL.get() } else { 0.0 };
        window().scroll_to_with_x_and_y(0.0, top);
    }
}
