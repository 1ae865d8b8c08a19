//! What came of a decision whose reader went on before the answer: said beside the card that they went on to, which stays
//! as it is.
//!
//! That nothing was decided is said until they come to the card that it is about, over as many cards as they look at
//! meanwhile.

use std::cell::RefCell;

use leptos::prelude::*;
use web_sys::Element;

use super::changes::append;
use super::dom::{find, within};
use super::{drafts, news, visit};

thread_local! {
    /// What was decided last, as long as no page has said so.
    static DECIDED: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The actions about which something went wrong, each with what says so.
    static FAILED: RefCell<Vec<(String, Element)>> = const { RefCell::new(Vec::new()) };
}

/// Whether the reader has left a card, or is about to. A phone keeps the newest one behind its list.
pub fn has_left(card: &Element) -> bool {
    visit::is_under_way() || !card.is_connected() || card.client_height() == 0
}

/// Tells that an action was decided: its row goes, and the page that comes with that says what was decided.
pub fn decided(id: String) {
    drafts::forget(&id);
    DECIDED.set(Some(id));
    news::catch_up();
}

/// Takes what is to be said as decided.
pub fn take() -> Option<String> {
    DECIDED.take()
}

/// Keeps it for another page, unless there is something newer to say.
pub fn keep(id: Option<String>) {
    if id.is_some() {
        DECIDED.with_borrow_mut(|decided| *decided = decided.take().or(id));
    }
}

/// Tells what went wrong with the decision about a card. `is_over` if the list has to change as well.
pub fn failed(card: &Element, sentence: &str, is_over: bool) {
    let Some(id) = card.get_attribute("data-id") else { return };
    let title = within(card, "#card-title").and_then(|title| title.text_content()).unwrap_or_default();
    if let Some(alert) = alert(&id, &title, sentence) {
        FAILED.with_borrow_mut(|failed| {
            failed.retain(|(other, alert)| {
                let is_other = *other != id;
                if !is_other {
                    alert.remove();
                }
                is_other
            });
            failed.push((id, alert));
        });
        show();
    }
    if is_over {
        news::catch_up();
    }
}

fn alert(id: &str, title: &str, sentence: &str) -> Option<Element> {
    let alert = document().create_element("div").ok()?;
    alert.set_class_name("alert");
    _ = alert.set_attribute("role", "alert");
    let words = append(&alert, "p", "", "")?;
    let link = append(&words, "a", "", title)?;
    let (path, search) = visit::here();
    let search = if path == "/inbox" { search } else { String::new() };
    let changes = [("at", Some(id.to_owned())), ("done", None), ("refused", None), ("picked", None)];
    _ = link.set_attribute("href", &visit::changed("/inbox", &search, &changes));
    _ = link.set_attribute("data-swap", "");
    append(&words, "span", "", &format!(": {sentence}"))?;
    Some(alert)
}

/// Says what went wrong, where the reader is. Not while another page is on its way, which would take it away.
pub fn show() {
    // A phone shows the list or a card.
    let is_list = find(".inbox-detail").is_some_and(|detail| detail.client_height() == 0);
    let place = if is_list { find(".inbox-list") } else { find("#trouble") };
    let Some(place) = place.filter(|_| !visit::is_under_way()) else { return };
    let shown = find("#card-pane > .card").and_then(|card| card.get_attribute("data-id"));
    FAILED.with_borrow_mut(|failed| {
        failed.retain(|(id, alert)| {
            let is_here = !is_list && shown.as_ref() == Some(id);
            if is_here && find("#decide .alert").is_some() {
                // Its own form says it.
                alert.remove();
            } else if alert.parent_element().as_ref() != Some(&place) {
                // What stands there already is not read out again.
                _ = place.insert_before(alert, place.first_child().as_ref());
            }
            !is_here
        });
    });
}
