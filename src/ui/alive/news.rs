//! Follows what happens elsewhere.

use std::cell::Cell;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::dom::{find, on_window};
use super::fetch::{self, Answer};
use super::swap::{self, Why};
use super::{controls, late, reader, visit};

/// News that come together are fetched together.
const GATHER: Duration = Duration::from_millis(100);
/// The end of an address whose page holds what was sent to get it; without it, the address is the card's.
const SENT: &str = "/sure";

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
    read(reader::is_within_list());
}

/// Lets in what came while the reader was within the list.
pub fn let_in() {
    read(false);
}

fn read(is_held: bool) {
    if visit::is_under_way() || IS_READING.get() {
        IS_OLD.set(true);
        return;
    }
    IS_READING.set(true);
    IS_OLD.set(false);
    let ticket = visit::ticket();
    // Only pages of the inbox say what was decided just before.
    let decided = (visit::here().0 == "/inbox").then(late::take).flatten();
    let address = address(is_held, decided.clone());
    spawn_local(async move {
        let answer = fetch::page(&address).await;
        IS_READING.set(false);
        match answer {
            // Somebody who went on meanwhile has a newer page.
            Ok(Answer::Page(page)) if ticket == visit::ticket() => swap::apply(&page, Why::News),
            // The server leads to the door and back here. Not while there is something typed.
            Ok(Answer::Elsewhere) if !is_touched() => leave(),
            Ok(_) | Err(_) => late::keep(decided),
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

/// Loads the page anew; what was sent to get it is not sent again.
fn leave() {
    let (path, search) = visit::here();
    let address = match path.strip_suffix(SENT) {
        Some(card) => card.to_owned(),
        None => format!("{path}{search}"),
    };
    _ = location().assign(&address);
}

fn is_touched() -> bool {
    find("#main").is_some_and(|main| controls::is_touched(&main))
}

/// The page as it stands: an address without a card shows the newest one, but the one in sight is to stay. It says what
/// was decided if the reader went on before that was known.
fn address(is_held: bool, decided: Option<String>) -> String {
    let (path, search) = visit::here();
    if path != "/inbox" {
        let path = path.strip_suffix(SENT).unwrap_or(&path);
        return format!("{path}{search}");
    }
    let shown = find("#card-pane > .card").and_then(|card| card.get_attribute("data-id"));
    // Rows that come now are not ticked because those before them were.
    let mut changes = vec![("done", decided), ("refused", None), ("picked", None)];
    if let Some(id) = shown {
        changes.push(("at", Some(id)));
    }
    changes.push(("seen", reader::seen().filter(|_| is_held)));
    visit::changed(&path, &search, &changes)
}
