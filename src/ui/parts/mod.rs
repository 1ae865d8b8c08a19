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

use leptos::wasm_bindgen::JsCast;

/// Moves the focus to an element.
pub fn focus(element: &web_sys::Element) {
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        _ = element.focus();
    }
}
