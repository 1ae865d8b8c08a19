//! What pages are made of. A part gets data and renders it; it loads nothing.

pub mod alert;
pub mod card;
pub mod card_head;
pub mod card_pane;
pub mod change_list;
pub mod decision_bar;
pub mod decision_view;
pub mod edit_fields;
pub mod empty_state;
pub mod header;
pub mod history_filters;
pub mod history_table;
pub mod icons;
pub mod inbox_list;
pub mod links;
pub mod live;
pub mod offline;
pub mod outcome_line;
pub mod payload;
pub mod person_menu;
pub mod preview;
pub mod problem;
pub mod result_view;
pub mod safe_html;
pub mod status_badge;
pub mod text_area;
pub mod time;
pub mod timeline;
pub mod warnings;
pub mod welcome;

use std::time::Duration;

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;

/// Moves the focus to an element, without moving what is read.
pub fn focus(element: &web_sys::Element) {
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        _ = element.focus_with_options(&options);
    }
}

/// How long a browser may take to notice that what has the focus is not there any more.
const FOCUS_LOST: Duration = Duration::from_millis(50);

/// After what had the focus went away with its card, goes on at the title of the card that came. A focus that is
/// somewhere is left there.
pub fn keep_focus() {
    let go_on = || {
        let is_lost = document().active_element().is_none_or(|element| element.tag_name() == "BODY");
        if let Some(title) = document().get_element_by_id("card-title").filter(|_| is_lost) {
            focus(&title);
        }
    };
    set_timeout(go_on, FOCUS_LOST);
}
