//! Text shown exactly: nothing is interpreted, everything unseen is marked.
//!
//! Owns the `<pre>` renderings of plain text and code. It must not know about Markdown.
use crate::{
    server::text::{highlight::tokens, language::Language, reveal::Revealer},
    wire::safe_html::SafeHtml,
};

/// Renders `text` exactly as it is, in `<pre class="plain">`.
pub fn plain(text: &str) -> SafeHtml {
    // HTML drops one line feed after <pre>; this one is there to be dropped instead of the text's own.
    let mut out = String::from("<pre class=\"plain\">\n");
    Revealer::new(text).html(text, &mut out);
    out.push_str("</pre>");
    SafeHtml::trusted(out)
}

/// Renders `text` for a place inside a line, such as a title; line feeds stay what they are.
pub fn inline(text: &str) -> SafeHtml {
    let mut out = String::with_capacity(text.len());
    Revealer::new(text).html(text, &mut out);
    SafeHtml::trusted(out)
}

/// Renders `text` exactly as it is, coloured as `language`, in `<pre class="code">`.
pub fn code(language: Language, text: &str) -> SafeHtml {
    let mut out = String::from("<pre class=\"code\"><code>");
    code_html(&Revealer::new(text), language, text, &mut out);
    out.push_str("</code></pre>");
    SafeHtml::trusted(out)
}

/// Appends coloured code without its frame.
pub(super) fn code_html(revealer: &Revealer, language: Language, text: &str, out: &mut String) {
    tokens(language, text, |part, token| match token {
        None => revealer.html(part, out),
        Some(token) => {
            out.push_str("<span class=\"");
            out.push_str(token.class());
            out.push_str("\">");
            revealer.html(part, out);
            out.push_str("</span>");
        }
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::server::text::testing::undo;

    fn inside(html: &str, open: &str, close: &str) -> String {
        undo(html.strip_prefix(open).unwrap().strip_suffix(close).unwrap())
    }

    #[test]
    fn a_leading_line_feed_survives_the_browser() {
        assert_eq!(plain("\na").as_str(), "<pre class=\"plain\">\n\na</pre>");
    }

    proptest! {
        #[test]
        fn plain_text_and_code_keep_every_character(text in any::<String>()) {
            prop_assert_eq!(&inside(plain(&text).as_str(), "<pre class=\"plain\">\n", "</pre>"), &text);
            prop_assert_eq!(&undo(inline(&text).as_str()), &text);
            for language in [Language::Shell, Language::Python] {
                let html = code(language, &text);
                prop_assert_eq!(&inside(html.as_str(), "<pre class=\"code\"><code>", "</code></pre>"), &text);
            }
        }
    }
}
