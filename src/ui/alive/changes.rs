//! What was typed over what the agent proposed, shown where it was typed and once more before it is approved.
//!
//! Texts go into the page as text, never as markup. The history shows the same changes as the server sees them; this
//! is the look before.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use web_sys::{Element, Event};

use super::checks;
use super::controls::{self, Change};
use super::dom::{each, find, on_window, within};

/// Lines of a change that are put into the page at most; the rest is counted.
const LINES_MAX: usize = 200;

/// The lines that go and the lines that come in their place, without those at either end that stay.
#[derive(Debug, PartialEq, Eq)]
struct Hunk<'a> {
    /// How many lines before it stay.
    before: usize,
    removed: Vec<&'a str>,
    added: Vec<&'a str>,
}

fn hunk<'a>(old: &'a str, new: &'a str) -> Hunk<'a> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let middle = |lines: &[&'a str]| lines[head..lines.len() - tail].to_vec();
    Hunk { before: head, removed: middle(&old), added: middle(&new) }
}

/// Shows each change under its control while it is typed.
pub fn follow() {
    on_window("input", |event: Event| {
        let control = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(control) = control.filter(|control| control.matches("[name^='edits[']").unwrap_or(false))
        {
            show_under(&control);
        }
    });
}

/// Shows the changes of what came back from a draft.
pub fn show_all() {
    each(document().query_selector_all("[name^='edits[']"), |control| show_under(&control));
}

fn show_under(control: &Element) {
    checks::mark(control);
    let Some(field) = control.closest(".field").ok().flatten() else { return };
    let Some(place) = within(&field, ".change-live") else { return };
    place.set_text_content(None);
    if let Some(change) = controls::change(control) {
        append_diff(&place, &change);
    }
}

/// Puts all changes of the card in sight into an element, each under its path.
pub fn list_in(place: &Element) {
    place.set_text_content(None);
    let Some(card) = find(".card") else { return };
    for change in controls::changes(&card) {
        let Some(figure) = append(place, "figure", "change", "") else { return };
        if let Some(caption) = append(&figure, "figcaption", "", "") {
            append(&caption, "code", "", &change.path);
        }
        append_diff(&figure, &change);
    }
}

fn append_diff(place: &Element, change: &Change) {
    let Some(diff) = append(place, "div", "change-diff diff", "") else { return };
    let hunk = hunk(&change.before, &change.after);
    append_lines(&diff, "del", "diff-removed", hunk.before, &hunk.removed);
    append_lines(&diff, "ins", "diff-added", hunk.before, &hunk.added);
}

fn append_lines(diff: &Element, tag: &str, class: &str, before: usize, lines: &[&str]) {
    let (sign, spoken) = if tag == "del" { ("-", "removed ") } else { ("+", "added ") };
    for (index, line) in lines.iter().take(LINES_MAX).enumerate() {
        let Some(row) = append(diff, tag, class, "") else { return };
        append(&row, "span", "diff-number", &(before + index + 1).to_string());
        append(&row, "span", "visually-hidden", spoken);
        append(&row, "span", "diff-sign", sign);
        // An empty line has a height too.
        append(&row, "span", "diff-text", if line.is_empty() { "\u{a0}" } else { line });
    }
    if lines.len() > LINES_MAX {
        append(diff, "p", "hint", &format!("And {} more lines.", lines.len() - LINES_MAX));
    }
}

/// Adds an element with a text to another one.
pub fn append(place: &Element, tag: &str, class: &str, text: &str) -> Option<Element> {
    let element = document().create_element(tag).ok()?;
    if !class.is_empty() {
        element.set_class_name(class);
    }
    if !text.is_empty() {
        element.set_text_content(Some(text));
    }
    place.append_child(&element).ok()?;
    Some(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_between_those_that_stay_are_shown() {
        let hunk = hunk("a\nb\nc\nd", "a\nx\ny\nd");
        assert_eq!((hunk.before, hunk.removed, hunk.added), (1, vec!["b", "c"], vec!["x", "y"]));
    }

    #[test]
    fn a_line_more_and_a_line_less() {
        let more = hunk("a\nb", "a\nb\nb");
        assert_eq!((more.removed.len(), more.added), (0, vec!["b"]));
        let less = hunk("a\na\na", "a\na");
        assert_eq!((less.removed, less.added.len()), (vec!["a"], 0));
        assert_eq!(hunk("", "x").added, ["x"]);
        assert_eq!(hunk("x", ""), Hunk { before: 0, removed: vec!["x"], added: vec![""] });
    }
}
