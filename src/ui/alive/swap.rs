//! Puts the new parts of a page in place of the old ones.

use leptos::prelude::*;
use web_sys::{Document, DocumentFragment, Element};

use super::badge;
use super::clock;
use super::controls;
use super::dom::{copy_attribute, each, find, find_in, has_focus, keep_focus, tell_element, within};
use super::late;
use super::reader;

/// Who wants it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The person went somewhere: they get what they asked for.
    Asked,
    /// Something happened elsewhere: what is read stays where it is.
    News,
}

/// Takes a page over.
pub fn apply(fresh: &Document, why: Why) {
    let (Some(main), Some(fresh_main)) = (find("#main"), find_in(fresh, "#main")) else { return };
    take_text(fresh, ".nav .count");
    // What is about to be decided together is what was read, and what was ticked of it.
    if why == Why::News && within(&main, "[data-still]").is_some() {
        return clock::tick();
    }
    let was_held = has_focus();
    document().set_title(&fresh.title());
    let (old, new) = (within(&main, "[data-shape]"), within(&fresh_main, "[data-shape]"));
    let is_same_shape = match (&old, &new) {
        (Some(old), Some(new)) => old.get_attribute("data-shape") == new.get_attribute("data-shape"),
        _ => false,
    };
    if let (Some(old), Some(new), true) = (old, new, is_same_shape) {
        take_parts(&old, &new, why);
    } else if why == Why::Asked || !(controls::is_touched(&main) || main.is_equal_node(Some(&fresh_main))) {
        // What is the same stays: somebody may be pressing it.
        take_children(&main, &fresh_main);
    }
    badge::show();
    clock::tick();
    late::show();
    // News take no focus that nobody had: a page that has just come begins at its top.
    if was_held || why == Why::Asked {
        keep_focus();
    }
}

fn take_parts(old: &Element, new: &Element, why: Why) {
    copy_attribute(new, old, "data-empty");
    if why == Why::Asked {
        copy_attribute(new, old, "data-shown");
    }
    let held = reader::hold();
    if let (Some(old), Some(new)) = (within(old, ".inbox-list"), within(new, ".inbox-list")) {
        copy_attribute(&new, &old, "data-seen");
    }
    if let (Some(old), Some(new)) = (within(old, ".rows"), within(new, ".rows")) {
        take_rows(&old, &new);
    }
    // While a decision is on its way its card stays, and so does what stands below it: the way on belongs to the card's end,
    // and would come under the hand that pressed.
    let stays = why == Why::News && within(old, "#card-pane").is_some_and(|pane| controls::is_sending(&pane));
    for part in ["#due", "#newer", "#older", "#back", "#next", "#events", "#arrival"] {
        if part == "#next" && stays {
            continue;
        }
        match (within(old, part), within(new, part)) {
            (Some(old), Some(new)) if !old.is_equal_node(Some(&new)) => take_children(&old, &new),
            _ => {}
        }
    }
    each(new.query_selector_all("[data-tab]"), |tab| {
        let status = tab.get_attribute("data-tab").unwrap_or_default();
        if let Some(old) = within(old, &format!("[data-tab='{status}'] .tab-count")) {
            take_text_of(&old, within(&tab, ".tab-count").as_ref());
        }
    });
    if let Some(held) = held {
        held.keep();
    }
    for part in ["#outcome", "#trouble"] {
        if let (Some(old), Some(new)) = (within(old, part), within(new, part)) {
            // News have something to say here if they are about a decision that was made here.
            if why == Why::Asked || new.first_element_child().is_some() {
                take_children(&old, &new);
            }
        }
    }
    if let (Some(old), Some(new)) = (within(old, "#card-pane"), within(new, "#card-pane")) {
        take_card(&old, &new, why);
    }
}

/// Rows that are still there stay the same elements: focus and scroll stay with them.
fn take_rows(old: &Element, new: &Element) {
    let mut place = old.first_element_child();
    each(new.query_selector_all(":scope > [data-key]"), |row| {
        let key = row.get_attribute("data-key").unwrap_or_default();
        if let Some(kept) = child_with_key(old, &key) {
            if let (Some(kept), Some(row)) = (within(&kept, "a"), within(&row, "a")) {
                copy_attribute(&row, &kept, "aria-current");
            }
            drop_until(&mut place, Some(&kept));
            place = kept.next_element_sibling();
        } else {
            _ = old.insert_before(&row, place.as_ref().map(AsRef::as_ref));
        }
    });
    drop_until(&mut place, None);
}

/// Removes elements from `place` on, up to another one. Rows never change their order.
fn drop_until(place: &mut Option<Element>, end: Option<&Element>) {
    while let Some(element) = place.take() {
        if Some(&element) == end {
            return;
        }
        *place = element.next_element_sibling();
        element.remove();
    }
}

fn child_with_key(parent: &Element, key: &str) -> Option<Element> {
    let mut child = parent.first_element_child();
    while let Some(element) = child {
        if element.get_attribute("data-key").as_deref() == Some(key) {
            return Some(element);
        }
        child = element.next_element_sibling();
    }
    None
}

/// The card, if it is another one or has gone on. Text that was not sent is never taken away by news.
fn take_card(old: &Element, new: &Element, why: Why) {
    let key =
        |pane: &Element| within(pane, ":scope > [data-key]").and_then(|card| card.get_attribute("data-key"));
    // A page after a refusal says on the form why; the form is another one then.
    let is_refused = why == Why::Asked && within(new, ".alert").is_some();
    if key(old) == key(new) && !is_refused {
        return;
    }
    if why == Why::News {
        if controls::is_sending(old) {
            return;
        }
        if controls::is_touched(old) {
            let state =
                within(new, ".card").and_then(|card| card.get_attribute("data-state")).unwrap_or_default();
            if let Some(card) = within(old, ".card").filter(|_| state != "pending") {
                tell_element(&card, "impri:ended", &state, false);
            }
            return;
        }
    }
    take_children(old, new);
    if why == Why::Asked {
        if let Some(pane) = find(".inbox-detail") {
            pane.set_scroll_top(0);
        }
        // Where the page itself scrolls, on a phone: what came of a decision stands at the card's top.
        if find(".card").is_some_and(|card| card.get_bounding_client_rect().top() < 0.0) {
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    }
}

fn take_children(old: &Element, new: &Element) {
    let Ok(children) = DocumentFragment::new() else { return };
    while let Some(child) = new.first_child() {
        _ = children.append_child(&child);
    }
    old.replace_children_with_node_1(&children);
    // The starter brings the islands among them to life.
    tell_element(old, "impri:content", "", true);
}

fn take_text(fresh: &Document, selector: &str) {
    if let Some(old) = find(selector) {
        take_text_of(&old, find_in(fresh, selector).as_ref());
    }
}

fn take_text_of(old: &Element, new: Option<&Element>) {
    if let Some(new) = new.filter(|new| old.text_content() != new.text_content()) {
        old.set_text_content(new.text_content().as_deref());
    }
}

/// Says what went wrong with going somewhere.
pub fn trouble(sentence: &str) {
    let (Some(place), Ok(alert)) = (find("#trouble"), document().create_element("p")) else { return };
    alert.set_class_name("alert");
    _ = alert.set_attribute("role", "alert");
    alert.set_text_content(Some(sentence));
    place.replace_children_with_node_1(&alert);
    late::show();
}

/// Says that another card is on its way; until it is there and settled, nothing in this one can be pressed.
pub fn set_waiting(is_waiting: bool) {
    let Some(pane) = find("#card-pane") else { return };
    if is_waiting {
        _ = pane.set_attribute("data-off", "");
        _ = pane.set_attribute("aria-busy", "true");
    } else {
        _ = pane.remove_attribute("aria-busy");
    }
}

/// Lets the card be decided.
pub fn switch_on() {
    if let Some(pane) = find("#card-pane") {
        _ = pane.remove_attribute("data-off");
    }
}
