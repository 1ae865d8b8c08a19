//! Keeps the words about time at what the clock says.
//!
//! A time in the page carries how far away it was when the page was made; from then on this browser's clock counts,
//! whatever it shows.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::Element;
use web_sys::js_sys::Date;

use super::dom::each;
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
}

fn update(time: &Element, now: i64) {
    let number = |name| time.get_attribute(name).and_then(|text| text.parse::<i64>().ok());
    let at = number("data-at").unwrap_or_else(|| {
        let at = now + number("data-from-now").unwrap_or_default();
        _ = time.set_attribute("data-at", &at.to_string());
        at
    });
    let left = at - now;
    let words = match (time.get_attribute("data-over"), left) {
        (None, _) => span::relative(left),
        (Some(_), 1..) => {
            let before = time.get_attribute("data-before").unwrap_or_default();
            if left < SOON {
                _ = time.set_attribute("data-soon", "");
            }
            format!("{before}{}", span::words(left.unsigned_abs()))
        }
        (Some(over), _) => over,
    };
    if time.text_content().as_ref() != Some(&words) {
        time.set_text_content(Some(&words));
    }
}
