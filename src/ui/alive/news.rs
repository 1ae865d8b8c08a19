//! Follows what happens elsewhere.

use std::cell::Cell;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::dom::{find, on_window};
use super::fetch::{self, Answer};
use super::swap::{self, Why};
use super::{controls, visit};
use crate::ui::parts::links::with_query;

/// News that come together are fetched together.
const GATHER: Duration = Duration::from_millis(100);

thread_local! {
    static IS_WAITING: Cell<bool> = const { Cell::new(false) };
    static IS_READING: Cell<bool> = const { Cell::new(false) };
    static IS_OLD: Cell<bool> = const { Cell::new(false) };
}

/// Reads the page anew when something happened.
pub fn follow() {
    on_window("impri:change", |_| {
        if !IS_WAITING.replace(true) {
            set_timeout(
                || {
                    IS_WAITING.set(false);
                    catch_up();
                },
                GATHER,
            );
        }
    });
}

/// Reads the page anew, once at a time, and again if more happened meanwhile.
pub fn catch_up() {
    if visit::is_under_way() || IS_READING.get() {
        IS_OLD.set(true);
        return;
    }
    IS_READING.set(true);
    IS_OLD.set(false);
    let ticket = visit::ticket();
    spawn_local(async move {
        let answer = fetch::page(&address()).await;
        IS_READING.set(false);
        match answer {
            // Somebody who went on meanwhile has a newer page.
            Ok(Answer::Page(page)) if ticket == visit::ticket() => swap::apply(&page, Why::News),
            // The server leads to the door and back here. Not while there is something typed.
            Ok(Answer::Elsewhere) if !is_touched() => _ = location().reload(),
            Ok(_) | Err(_) => {}
        }
        after_visit();
    });
}

/// Reads what came while another page was on its way.
pub fn after_visit() {
    if IS_OLD.get() {
        catch_up();
    }
}

fn is_touched() -> bool {
    find("#main").is_some_and(|main| controls::is_touched(&main))
}

/// The page as it stands: an address without a card shows the newest one, but the one in sight is to stay.
fn address() -> String {
    let (path, search) = visit::here();
    let shown = find("#card-pane > .card").and_then(|card| card.get_attribute("data-id"));
    match shown {
        Some(id) if path == "/inbox" => {
            let cursor = visit::query_value(&search, "cursor");
            with_query("/inbox", &[("cursor", cursor.as_deref()), ("at", Some(&id))])
        }
        _ => format!("{path}{search}"),
    }
}
