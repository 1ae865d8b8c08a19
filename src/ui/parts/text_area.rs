//! A text box whose text is escaped.
//!
//! Leptos 0.8 prints the children of `<textarea>` unescaped, so text with `</textarea>` in it would leave the box.
//! The text is therefore escaped here and handed over as HTML. Remove this part with Leptos 0.9, which escapes.

use leptos::prelude::*;

/// A text box. What is typed before the page comes alive stays, because nothing sets its value afterwards.
#[component]
pub fn TextArea(
    /// The element's id.
    id: String,
    /// The field's name.
    name: String,
    /// The id of the form that it belongs to, if it does not stand in it.
    #[prop(optional)]
    form: Option<&'static str>,
    /// The text to begin with.
    #[prop(optional)]
    text: String,
    /// Height in lines.
    rows: u32,
    /// What the text has to be, if anything: `json`.
    #[prop(optional)]
    input: Option<&'static str>,
    /// Other elements that describe it.
    #[prop(optional)]
    described_by: Option<String>,
    /// Whether what was typed was refused.
    #[prop(optional)]
    is_wrong: bool,
    /// What was proposed, if the text to begin with is another.
    #[prop(default = None)]
    proposed: Option<String>,
) -> impl IntoView {
    view! {
        <textarea
            id=id
            name=name
            form=form
            rows=rows
            autocomplete="off"
            data-input=input
            data-proposed=proposed
            autofocus=is_wrong
            aria-invalid=is_wrong.then_some("true")
            aria-describedby=described_by
            inner_html=inside(&text)
        ></textarea>
    }
}

/// The text as the inside of a `<textarea>`. A parser of documents drops a line feed at its beginning, so the server
/// puts one before; setting the inside of an element that is there already drops none.
fn inside(text: &str) -> String {
    if is_server() { format!("\n{}", escaped(text)) } else { escaped(text) }
}

fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            _ => html.push(character),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn text_cannot_leave_the_box() {
        assert_eq!(escaped("</textarea><script>&"), "&lt;/textarea&gt;&lt;script&gt;&amp;");
    }
}
