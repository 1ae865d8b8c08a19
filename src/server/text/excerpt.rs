//! One line about a text, for a row in a list.
//!
//! Owns the shortening. It must not know about lists. An excerpt is a hint and never what is approved, so it may
//! drop structure; it must not drop what is unseen.
use pulldown_cmark::{Event, Parser, TagEnd};

use crate::server::text::{PreviewFormat, markdown::options, reveal::Revealer};

/// Returns the beginning of a body as one line of plain text of about `max_chars` characters, Markdown stripped
/// and everything unseen written as `⟨U+200B⟩`. Give it a prefix of the body, not the whole.
pub fn excerpt(format: PreviewFormat, body_prefix: &str, max_chars: usize) -> String {
    // Whatever the caller gives: a line never needs more, and Markdown is read to its end.
    let end =
        body_prefix.char_indices().nth(max_chars.saturating_mul(8)).map_or(body_prefix.len(), |(at, _)| at);
    let prefix = &body_prefix[..end];
    let text = match format {
        PreviewFormat::Markdown => markdown_text(prefix),
        PreviewFormat::Plain | PreviewFormat::Diff => prefix.to_owned(),
    };
    let is_gap = |c: char| matches!(c, ' ' | '\n' | '\t' | '\r');
    let line = text.split(is_gap).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let kept = line.char_indices().nth(max_chars).map_or(line.len(), |(at, _)| at);
    let mut out = String::new();
    Revealer::new(&line).text(&line[..kept], &mut out);
    if kept < line.len() || end < body_prefix.len() {
        out.push('…');
    }
    out
}

/// The words of a Markdown text, without its marks.
fn markdown_text(text: &str) -> String {
    let mut out = String::new();
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                out.push_str(&text);
            }
            Event::TaskListMarker(done) => out.push_str(if done { "[x] " } else { "[ ] " }),
            Event::End(
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image,
            )
            | Event::Start(_) => {}
            _ => out.push(' '),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn markdown_loses_its_marks_and_keeps_its_words() {
        let text = "# Hi\n\n- **a**b `c`\n- [x](https://y.example) <b>\n\n|t|u|\n|-|-|\n|1|2|";
        assert_eq!(excerpt(PreviewFormat::Markdown, text, 200), "Hi ab c x <b> t u 1 2");
        assert_eq!(excerpt(PreviewFormat::Plain, "# a\r\n\tb", 200), "# a b");
    }

    #[test]
    fn it_is_cut_and_reveals_what_is_hidden() {
        assert_eq!(excerpt(PreviewFormat::Plain, "abcdef", 3), "abc…");
        assert_eq!(excerpt(PreviewFormat::Plain, "a\u{202E}b", 3), "a⟨U+202E⟩b");
        assert_eq!(excerpt(PreviewFormat::Markdown, "a&#8238;b", 9), "a⟨U+202E⟩b");
    }

    proptest! {
        #[test]
        fn it_is_always_one_line(text in any::<String>(), max in 0_usize..80) {
            for format in [PreviewFormat::Markdown, PreviewFormat::Plain, PreviewFormat::Diff] {
                let line = excerpt(format, &text, max);
                let is_one = !line.contains(['\n', '\r', '\u{2028}', '\u{202E}']);
                prop_assert!(is_one, "{:?}", line);
            }
        }
    }
}
