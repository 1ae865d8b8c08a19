//! Where the reader is in the list, and how they stay there while it changes.

use std::cell::Cell;
use std::iter::successors;

use leptos::prelude::*;
use web_sys::Element;

use super::dom::{find, within};
use super::visit;

thread_local! {
    /// How far a phone's list was scrolled when a card was opened.
    static LIST_SCROLL: Cell<f64> = const { Cell::new(0.0) };
}

/// The newest action that the list shows, or showed before others were held back.
pub fn seen() -> Option<String> {
    find(".inbox-list").and_then(|list| list.get_attribute("data-seen"))
}

/// Whether something in the list is being read, pointed at or chosen, so that rows above it must not come in.
pub fn is_within_list() -> bool {
    let Some(side) = find(".inbox-side") else { return false };
    let (_, search) = visit::here();
    let is_paged = search.contains("cursor=");
    let is_chosen = find(".rows input:checked, .rows :focus-visible").is_some();
    let is_pointed_at = can_hover() && find(".rows:hover").is_some();
    let scroll = match is_shown(&side) {
        true => f64::from(side.scroll_top()).max(window().scroll_y().unwrap_or_default()),
        false => LIST_SCROLL.get(),
    };
    is_paged || is_chosen || is_pointed_at || scroll > 0.0
}

fn can_hover() -> bool {
    window().match_media("(hover: hover)").ok().flatten().is_some_and(|query| query.matches())
}

/// A phone shows the list or a card.
fn is_shown(side: &Element) -> bool {
    side.client_height() > 0
}

/// Remembers where a phone's list is left for a card.
pub fn remember_scroll() {
    if find(".inbox[data-shown='list']").is_some() {
        LIST_SCROLL.set(window().scroll_y().unwrap_or_default());
    }
}

/// A phone begins to read at the top, and finds its place in the list again.
pub fn scroll() {
    if let Some(inbox) = find(".inbox") {
        let is_list = inbox.get_attribute("data-shown").as_deref() == Some("list");
        let top = if is_list && within(&inbox, ".rows").is_some() { LIST_SCROLL.get() } else { 0.0 };
        window().scroll_to_with_x_and_y(0.0, top);
    }
}

/// Goes to the beginning of the list.
pub fn go_to_top() {
    LIST_SCROLL.set(0.0);
    if let Some(side) = find(".inbox-side").filter(is_shown) {
        side.set_scroll_top(0);
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// A row and those below it, and where they are on the screen: the row itself may be what goes.
pub struct Held {
    side: Element,
    rows: Vec<(Element, f64)>,
}

/// Takes hold of the row that the reader is at, if they are within the list.
pub fn hold() -> Option<Held> {
    let side = find(".inbox-side").filter(is_shown).filter(|_| is_within_list())?;
    let edge = side.get_bounding_client_rect().top().max(0.0);
    let at = find(".rows > li:focus-within").or_else(|| find(".rows > li:hover"));
    let row = at.or_else(|| {
        let mut row = find(".rows > li")?;
        while row.get_bounding_client_rect().bottom() <= edge {
            row = row.next_element_sibling()?;
        }
        Some(row)
    })?;
    let rows = successors(Some(row), Element::next_element_sibling);
    let rows = rows.map(|row| (row.clone(), row.get_bounding_client_rect().top()));
    Some(Held { side, rows: rows.collect() })
}

impl Held {
    /// Puts the row back where it was on the screen, as far as the list can be scrolled.
    pub fn keep(self) {
        let Some((row, top)) = self.rows.iter().find(|(row, _)| row.is_connected()) else { return };
        let moved = || row.get_bounding_client_rect().top() - top;
        #[expect(clippy::cast_possible_truncation, reason = "a distance on a screen")]
        self.side.set_scroll_top(self.side.scroll_top() + moved().round() as i32);
        let rest = moved();
        if rest.abs() >= 1.0 {
            window().scroll_by_with_x_and_y(0.0, rest);
        }
    }
}
