//! Keeps the words about time at what the clock says.
//!
//! A time in the page carries how far away it was when the page was made; from then on this browser's clock counts,
//! whatever it shows.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::Element;
use web_sys::js_sys::Date;

use super::dom::{each, find};
use super::news;
use crate::domain::span;
use crate::ui::parts::time::SOON;

/// How often the words are brought up to date.
const TICK: Duration = Duration::from_secs(5);

/// Follows the clock for as long as the page lives.
pub fn follow() {
    tick();
    set_interval(tick, TICK);
}

/// Brings every time in the page up to date.
pub fn tick() {
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 fit")]
    let now = (Date::now() / 1000.0) as i64;
    each(document().query_selector_all("time[data-from-now]"), |time| update(&time, now));
    if let Some(more) = find("[data-more-in]") {
        look_ahead(&more, now);
    }
}

/// Reads the page anew when one more of what waits is about to run out: no event tells of that.
fn look_ahead(more: &Element, now: i64) {
    if instant(more, "data-more-in", now) <= now {
        // Once: the page that comes says when the next one is.
        _ = more.remove_attribute("data-more-in");
        news::catch_up();
    }
}

/// When what an element tells of is, by this browser's clock: `name` says how far away it was when the page was made.
fn instant(element: &Element, name: &str, now: i64) -> i64 {
    let number = |name| element.get_attribute(name).and_then(|text| text.parse::<i64>().ok());
    number("data-at").unwrap_or_else(|| {
        let at = now.saturating_add(number(name).unwrap_or_default());
        _ = element.set_attribute("data-at", &at.to_string());
        at
    })
}

fn update(time: &Element, now: i64) {
    let left = instant(time, "data-from-now", now) - now;
    let words = match (time.get_attribute("data-over"), left) {
        (None, _) => span::relative(left),
        (Some(_), 1..) => {
            let text = |name| time.get_attribute(name).unwrap_or_default();
            let (before, after) = (text("data-before"), text("data-after"));
            if left < SOON {
                _ = time.set_attribute("data-soon", "");
            }
            format!("{before}{}{after}", span::words(left.unsigned_abs()))
        }
        (Some(over), _) => over,
    };
    if time.text_content().as_ref() != Some(&words) {
        time.set_text_content(Some(&words));
    }
}
