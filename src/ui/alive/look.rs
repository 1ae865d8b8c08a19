//! What is looked at once more in the sheet: what the card says, and of what was edited what the server says will run.
//!
//! Everything is a copy of what stands in a page, so no text becomes markup.

use std::cell::Cell;

use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, HtmlFormElement, HtmlTextAreaElement};

use super::changes::append;
use super::dom::{find, find_in, within};
use super::fetch::{self, Answer};

thread_local! {
    static ASKED: Cell<u32> = const { Cell::new(0) };
}

/// Puts who asks for what and where into one element, and what runs into another.
pub fn show(facts: &Element, content: &Element, is_edited: bool) {
    let Some(card) = find(".card") else { return };
    facts.set_text_content(None);
    for part in [".card-kind code", ".facts", ".undo"] {
        copy(facts, &card, part);
    }
    fill(content, &card, is_edited.then_some("As it was proposed, before your changes:"));
    // A question that came later has another answer.
    let ticket = ASKED.get().wrapping_add(1);
    ASKED.set(ticket);
    let form = find("#decide").and_then(|form| form.dyn_into::<HtmlFormElement>().ok());
    let (Some(form), Some(id), true) = (form, card.get_attribute("data-id"), is_edited) else { return };
    let content = content.clone();
    spawn_local(async move {
        // If it does not come, what was proposed and what was changed is still there to see.
        let answer = fetch::answer_to(&form, &format!("/inbox/{id}/sure"), ("verdict", "approve")).await;
        if let Ok(Answer::Page(page)) = answer
            && let Some(look) = find_in(&page, ".second-look-content")
            && ASKED.get() == ticket
        {
            fill(&content, &look, Some("What runs then, with your changes:"));
        }
    });
}

fn fill(place: &Element, from: &Element, caption: Option<&str>) {
    place.set_text_content(None);
    if let Some(caption) = caption {
        append(place, "p", "hint", caption);
    }
    copy(place, from, ".preview [data-part='first']");
    copy(place, from, ".payload-tree");
    let reason = find("#reason").and_then(|reason| reason.dyn_into::<HtmlTextAreaElement>().ok());
    let reason = reason.map(|reason| reason.value()).unwrap_or_default();
    if !reason.trim().is_empty() {
        append(place, "p", "hint", "Your reason:");
        append(place, "p", "reason-given", &reason);
    }
}

fn copy(place: &Element, from: &Element, part: &str) {
    if let Some(copy) = within(from, part).and_then(|part| part.clone_node_with_deep(true).ok()) {
        _ = place.append_child(&copy);
    }
}
