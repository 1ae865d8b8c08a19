//! Makes visible what a reader would not see.
//!
//! Owns the cutting of a text into ordinary, hidden and look-alike pieces, and their two renderings. It must
//! not know about Markdown or pages. The invariant: undo the marks and the input is back, character for
//! character.
use crate::server::text::{
    escape::escape,
    finding::FindingKind,
    invisible::{code_point, describe, flag_len, hidden_kind},
    lookalike::{Context, Verdict, is_word},
};

/// A stretch of text and what is odd about it.
pub(super) enum Piece<'a> {
    /// Nothing.
    Plain(&'a str),
    /// A character that can't be seen.
    Hidden(char, FindingKind),
    /// A word or a sign that looks like another one, and why.
    LookAlike(&'a str, Verdict),
}

/// Reveals the parts of one text; words are judged by the company of the whole.
pub(super) struct Revealer {
    context: Context,
}

impl Revealer {
    /// Prepares for the parts of `whole`.
    pub(super) fn new(whole: &str) -> Self {
        Self { context: Context::new(whole) }
    }

    /// Appends `part` as HTML.
    pub(super) fn html(&self, part: &str, out: &mut String) {
        self.pieces(part, |piece| match piece {
            Piece::Plain(text) => escape(text, out),
            Piece::Hidden(ch, kind) => {
                let code = code_point(ch);
                out.push_str("<span class=\"revealed\" title=\"");
                out.push_str(describe(ch, kind));
                out.push_str(", ");
                out.push_str(&code);
                out.push_str("\">");
                out.push_str(&code);
                out.push_str("</span>");
            }
            Piece::LookAlike(word, verdict) => {
                out.push_str("<span class=\"look-alike\" title=\"");
                escape(&verdict.reason(word), out);
                out.push_str("\">");
                escape(word, out);
                out.push_str("</span>");
            }
        });
    }

    /// Appends `part` as plain text: `⟨U+200B⟩` in the place of a hidden character and behind a posing one.
    pub(super) fn text(&self, part: &str, out: &mut String) {
        let mark = |ch: char, out: &mut String| {
            out.push('⟨');
            out.push_str(&code_point(ch));
            out.push('⟩');
        };
        self.pieces(part, |piece| match piece {
            Piece::Plain(text) => out.push_str(text),
            Piece::Hidden(ch, _) => mark(ch, out),
            Piece::LookAlike(word, verdict) => {
                for ch in word.chars() {
                    out.push(ch);
                    if verdict.is_odd(ch) {
                        mark(ch, out);
                    }
                }
            }
        });
    }

    /// Cuts `part` into pieces, in order and without gaps.
    pub(super) fn pieces<'a>(&self, part: &'a str, mut take: impl FnMut(Piece<'a>)) {
        // Most of what agents send is printable ASCII, in which there is nothing to find.
        if part.bytes().all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\t')) {
            return take(Piece::Plain(part));
        }
        let (mut plain_from, mut at, mut before) = (0, 0, None);
        while let Some(ch) = part[at..].chars().next() {
            let mut end = at + ch.len_utf8();
            let mut odd = None;
            if let Some(length) = flag_len(&part[at..]) {
                end = at + length;
            } else if let Some(kind) = hidden_kind(before, ch, part[end..].chars().next()) {
                odd = Some(Piece::Hidden(ch, kind));
            } else if let Some(verdict) = self.context.sign(&part[..at], ch, &part[end..]) {
                odd = Some(Piece::LookAlike(&part[at..end], verdict));
            } else if is_word(ch) {
                end = self.word_end(part, at);
                odd = self
                    .context
                    .verdict(&part[..at], &part[at..end], &part[end..])
                    .map(|verdict| Piece::LookAlike(&part[at..end], verdict));
            }
            before = part[at..end].chars().next_back();
            if let Some(odd) = odd {
                if plain_from < at {
                    take(Piece::Plain(&part[plain_from..at]));
                }
                take(odd);
                plain_from = end;
            }
            at = end;
        }
        if plain_from < part.len() {
            take(Piece::Plain(&part[plain_from..]));
        }
    }

    /// The end of the word at `from`: before the first character that is no part of it, can't be seen or poses
    /// as a sign.
    fn word_end(&self, text: &str, from: usize) -> usize {
        let mut before = None;
        for (offset, ch) in text[from..].char_indices() {
            let at = from + offset;
            let is_sign = || self.context.sign(&text[..at], ch, &text[at + ch.len_utf8()..]).is_some();
            // Hangul fillers count as letters in Unicode; they must not hide inside a word.
            if offset > 0 && (!is_word(ch) || hidden_kind(before, ch, None).is_some() || is_sign()) {
                return at;
            }
            before = Some(ch);
        }
        text.len()
    }
}

/// Appends `text` as HTML in which everything unseen is marked: `<span class="revealed">` for a character,
/// `<span class="look-alike">` for a word.
pub fn reveal_html(text: &str, out: &mut String) {
    Revealer::new(text).html(text, out);
}

/// Returns `text` for places that take no markup, with `⟨U+200B⟩` for everything unseen.
pub fn reveal_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    Revealer::new(text).text(text, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::server::text::testing::undo;

    fn html(text: &str) -> String {
        let mut out = String::new();
        reveal_html(text, &mut out);
        out
    }

    #[test]
    fn a_hidden_character_becomes_its_code_point() {
        assert_eq!(
            html("a\u{200B}<b"),
            "a<span class=\"revealed\" title=\"ZERO WIDTH SPACE, U+200B\">U+200B</span>&lt;b"
        );
        assert_eq!(reveal_text("a\u{200B}b"), "a⟨U+200B⟩b");
    }

    #[test]
    fn a_look_alike_word_says_why() {
        assert_eq!(
            html("p\u{430}ypal"),
            "<span class=\"look-alike\" title=\"“p\u{430}ypal” mixes Latin and Cyrillic letters; \
             U+0430 looks like “a”\">p\u{430}ypal</span>"
        );
        assert_eq!(reveal_text("p\u{430}ypal"), "p\u{430}⟨U+0430⟩ypal");
        assert_eq!(reveal_text("good.com\u{2215}path 1\u{2215}2"), "good.com\u{2215}⟨U+2215⟩path 1\u{2215}2");
    }

    #[test]
    fn a_dot_of_another_script_is_marked_inside_an_address() {
        assert_eq!(
            reveal_text("https://bank.exampleꓸevilꓸcom/"),
            "https://bank.exampleꓸ⟨U+A4F8⟩evilꓸ⟨U+A4F8⟩com/"
        );
        assert_eq!(reveal_text("rm ‐rf ∗"), "rm ‐⟨U+2010⟩rf ∗⟨U+2217⟩");
        assert_eq!(reveal_text("pay ৪৭"), "pay ৪⟨U+09EA⟩৭⟨U+09ED⟩");
    }

    #[test]
    fn ordinary_emoji_and_flags_stay_as_they_are() {
        let text = "👩\u{200D}👩\u{200D}👧 🏳\u{FE0F}\u{200D}🌈 🧑🏽\u{200D}🚀 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} 1\u{FE0F}\u{20E3} ✔\u{FE0F}";
        assert_eq!(html(text), text);
    }

    #[test]
    fn a_filler_inside_a_word_is_found() {
        assert_eq!(reveal_text("pass\u{3164}word"), "pass⟨U+3164⟩word");
    }

    proptest! {
        #[test]
        fn undoing_the_marks_gives_the_input(text in any::<String>(), noise in "[a-z\u{200B}\u{202E}\u{430}-\u{44F}\r\n<&\u{E0041}\u{FE0F}👩\u{200D}\u{3000}]{0,40}") {
            for text in [text, noise] {
                prop_assert_eq!(undo(&html(&text)), text);
            }
        }
    }
}
