//! Which characters a reader can't see, and what they are called.
//!
//! Owns the character classes. It must not know about markup or words. The tables are hand-written ranges of
//! Unicode's default-ignorable, format, control, space and private-use characters; those sets are closed or
//! nearly so, and a range that is too wide only shows one character too many.
//!
//! The invariant: a character is exempt only where ordinary writing needs it (joiners in emoji, Persian and
//! Indic words, variation selectors after emoji, the ideographic space beside CJK text), never everywhere.
use crate::server::text::finding::FindingKind;

/// The tag sequences that draw the flags of England, Scotland and Wales: the only ones in general use.
const FLAGS: [&str; 3] = [
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
    "\u{1F3F4}\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}",
];

/// Returns the length of the flag sequence that `text` starts with, if it does.
pub(super) fn flag_len(text: &str) -> Option<usize> {
    FLAGS.iter().find(|flag| text.starts_with(**flag)).map(|flag| flag.len())
}

/// Classifies `ch` between its neighbours; `None` means that a reader sees it as what it is.
pub(super) fn hidden_kind(before: Option<char>, ch: char, after: Option<char>) -> Option<FindingKind> {
    use FindingKind as K;
    match ch {
        '\n' | '\t' | ' '..='~' => None,
        // A CRLF line end looks like what it is; a bare CR overwrites the line on a terminal.
        '\r' if after == Some('\n') => None,
        '\u{2028}' | '\u{2029}' => Some(K::Control),
        c if c.is_control() => Some(K::Control),
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            Some(K::Bidi)
        }
        '\u{200C}' | '\u{200D}' => (!is_joiner_in_place(before, ch, after)).then_some(K::Invisible),
        '\u{FE0E}' | '\u{FE0F}' => (!is_emoji_selector_in_place(before, after)).then_some(K::Invisible),
        '\u{180B}'..='\u{180F}' => (!before.is_some_and(is_mongolian)).then_some(K::Invisible),
        // Marks of three scripts that show nothing of their own.
        '\u{70F}' => (!after.is_some_and(is_syriac)).then_some(K::Invisible),
        '\u{2D7F}' => (!before.is_some_and(is_tifinagh)).then_some(K::Invisible),
        '\u{16FE4}' => (!before.is_some_and(is_khitan)).then_some(K::Invisible),
        '\u{E0000}'..='\u{E007F}' => Some(K::Tag),
        '\u{AD}'
        | '\u{34F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{200B}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0D}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFC}'
        | '\u{13430}'..='\u{1343F}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D159}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0080}'..='\u{E0FFF}' => Some(K::Invisible),
        // Japanese indents and separates with the ideographic space.
        '\u{3000}' => (!before.is_some_and(is_cjk) && !after.is_some_and(is_cjk)).then_some(K::Space),
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{2800}' => {
            Some(K::Space)
        }
        '\u{E000}'..='\u{F8FF}' | '\u{FDD0}'..='\u{FDEF}' | '\u{F0000}'.. => Some(K::PrivateUse),
        c if (c as u32) & 0xFFFE == 0xFFFE => Some(K::PrivateUse),
        _ => None,
    }
}

/// ZWNJ and ZWJ where spelling needs them: inside Arabic-script words, around an Indic virama, in emoji.
fn is_joiner_in_place(before: Option<char>, joiner: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    let emoji = joiner == '\u{200D}'
        && (is_pictographic(before) || before == '\u{FE0F}')
        && after.is_some_and(is_pictographic);
    let cursive = is_cursive(before) && after.is_some_and(is_cursive);
    let indic = is_virama(before) || (is_indic(before) && after.is_some_and(is_virama));
    emoji || cursive || indic
}

fn is_emoji_selector_in_place(before: Option<char>, after: Option<char>) -> bool {
    before.is_some_and(|c| {
        is_pictographic(c) || (matches!(c, '0'..='9' | '#' | '*') && after == Some('\u{20E3}'))
    })
}

fn is_cursive(c: char) -> bool {
    c.is_alphabetic()
        && (matches!(c, '\u{620}'..='\u{77F}' | '\u{7CA}'..='\u{7EA}' | '\u{8A0}'..='\u{8FF}')
            || is_mongolian(c))
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18AA}')
}

fn is_syriac(c: char) -> bool {
    matches!(c, '\u{710}'..='\u{74F}')
}

fn is_tifinagh(c: char) -> bool {
    matches!(c, '\u{2D30}'..='\u{2D6F}')
}

fn is_khitan(c: char) -> bool {
    matches!(c, '\u{18B00}'..='\u{18CFF}')
}

fn is_indic(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{DFF}')
}

fn is_virama(c: char) -> bool {
    matches!(
        c,
        '\u{94D}'
            | '\u{9CD}'
            | '\u{A4D}'
            | '\u{ACD}'
            | '\u{B4D}'
            | '\u{BCD}'
            | '\u{C4D}'
            | '\u{CCD}'
            | '\u{D4D}'
            | '\u{DCA}'
            | '\u{F84}'
            | '\u{1039}'
            | '\u{17D2}'
    )
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{2FFF}' | '\u{3001}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FF01}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFD}')
}

/// Characters that have an emoji form. Exact below U+2600, where letters and signs surround them; whole blocks
/// above, where nothing else lives.
fn is_pictographic(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{2199}'
        | '\u{21A9}' | '\u{21AA}' | '\u{231A}' | '\u{231B}' | '\u{2328}' | '\u{23CF}' | '\u{23E9}'..='\u{23FA}'
        | '\u{24C2}' | '\u{25AA}' | '\u{25AB}' | '\u{25B6}' | '\u{25C0}' | '\u{25FB}'..='\u{25FE}'
        | '\u{2600}'..='\u{27BF}' | '\u{2934}' | '\u{2935}' | '\u{2B05}'..='\u{2B07}' | '\u{2B1B}' | '\u{2B1C}'
        | '\u{2B50}' | '\u{2B55}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Writes a code point the way people cite it: `U+200B`.
pub(super) fn code_point(ch: char) -> String {
    format!("U+{:04X}", ch as u32)
}

/// Returns the Unicode name of the characters one meets, and what the kind means for the rest.
pub(super) fn describe(ch: char, kind: FindingKind) -> &'static str {
    match ch {
        '\0' => "NULL",
        '\u{8}' => "BACKSPACE",
        '\n' => "LINE FEED",
        '\r' => "CARRIAGE RETURN",
        '\u{1B}' => "ESCAPE",
        '\u{7F}' => "DELETE",
        '\u{85}' => "NEXT LINE",
        '\u{A0}' => "NO-BREAK SPACE",
        '\u{AD}' => "SOFT HYPHEN",
        '\u{34F}' => "COMBINING GRAPHEME JOINER",
        '\u{61C}' => "ARABIC LETTER MARK",
        '\u{115F}' => "HANGUL CHOSEONG FILLER",
        '\u{1160}' => "HANGUL JUNGSEONG FILLER",
        '\u{2002}' => "EN SPACE",
        '\u{2003}' => "EM SPACE",
        '\u{2007}' => "FIGURE SPACE",
        '\u{2009}' => "THIN SPACE",
        '\u{200A}' => "HAIR SPACE",
        '\u{200B}' => "ZERO WIDTH SPACE",
        '\u{200C}' => "ZERO WIDTH NON-JOINER",
        '\u{200D}' => "ZERO WIDTH JOINER",
        '\u{200E}' => "LEFT-TO-RIGHT MARK",
        '\u{200F}' => "RIGHT-TO-LEFT MARK",
        '\u{2028}' => "LINE SEPARATOR",
        '\u{2029}' => "PARAGRAPH SEPARATOR",
        '\u{202A}' => "LEFT-TO-RIGHT EMBEDDING",
        '\u{202B}' => "RIGHT-TO-LEFT EMBEDDING",
        '\u{202C}' => "POP DIRECTIONAL FORMATTING",
        '\u{202D}' => "LEFT-TO-RIGHT OVERRIDE",
        '\u{202E}' => "RIGHT-TO-LEFT OVERRIDE",
        '\u{202F}' => "NARROW NO-BREAK SPACE",
        '\u{2060}' => "WORD JOINER",
        '\u{2061}' => "FUNCTION APPLICATION",
        '\u{2062}' => "INVISIBLE TIMES",
        '\u{2063}' => "INVISIBLE SEPARATOR",
        '\u{2064}' => "INVISIBLE PLUS",
        '\u{2066}' => "LEFT-TO-RIGHT ISOLATE",
        '\u{2067}' => "RIGHT-TO-LEFT ISOLATE",
        '\u{2068}' => "FIRST STRONG ISOLATE",
        '\u{2069}' => "POP DIRECTIONAL ISOLATE",
        '\u{2800}' => "BRAILLE PATTERN BLANK",
        '\u{3000}' => "IDEOGRAPHIC SPACE",
        '\u{3164}' => "HANGUL FILLER",
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => "VARIATION SELECTOR",
        '\u{FEFF}' => "ZERO WIDTH NO-BREAK SPACE (byte order mark)",
        '\u{FFA0}' => "HALFWIDTH HANGUL FILLER",
        '\u{FFFC}' => "OBJECT REPLACEMENT CHARACTER",
        _ => match kind {
            FindingKind::Bidi => "text direction control",
            FindingKind::Invisible => "invisible character",
            FindingKind::Tag => "invisible tag character",
            FindingKind::Control => "control character",
            FindingKind::LookAlike => "look-alike character",
            FindingKind::PrivateUse => "character without a fixed meaning",
            FindingKind::Space => "unusual space",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<FindingKind> {
        let chars: Vec<char> = text.chars().collect();
        (0..chars.len())
            .filter_map(|i| {
                let before = i.checked_sub(1).and_then(|b| chars.get(b)).copied();
                hidden_kind(before, chars[i], chars.get(i + 1).copied())
            })
            .collect()
    }

    #[test]
    fn joiners_and_selectors_pass_only_where_writing_needs_them() {
        for ordinary in [
            "👩\u{200D}💻",
            "🏳\u{FE0F}\u{200D}🌈",
            "❤\u{FE0F}",
            "1\u{FE0F}\u{20E3}",
            "می\u{200C}خواهم",
            "क्\u{200D}ष",
            "র\u{200D}্য",
            "\u{3000}日本",
            "a\r\nb\tc",
            "\u{70F}\u{712}\u{713}",
            "ⵜ\u{2D7F}ⵜ",
        ] {
            assert_eq!(kinds(ordinary), [], "{ordinary:?}");
        }
        for odd in
            ["a\u{200D}b", "a\u{200C}b", "👩\u{200D}", "a\u{FE0F}", "1\u{FE0F}", "rm\u{3000}-rf", "a\rb"]
        {
            assert_eq!(kinds(odd).len(), 1, "{odd:?}");
        }
    }

    #[test]
    fn each_class_is_recognised() {
        use FindingKind::{Bidi, Control, Invisible, PrivateUse, Space, Tag};
        for (ch, kind) in [
            ('\u{202E}', Bidi),
            ('\u{200B}', Invisible),
            ('\u{AD}', Invisible),
            ('\u{FE01}', Invisible),
            ('\u{E0100}', Invisible),
            ('\u{16FE4}', Invisible),
            ('\u{2D7F}', Invisible),
            ('\u{70F}', Invisible),
            ('\u{E0041}', Tag),
            ('\0', Control),
            ('\u{1B}', Control),
            ('\u{9B}', Control),
            ('\u{2028}', Control),
            ('\u{A0}', Space),
            ('\u{2800}', Space),
            ('\u{E000}', PrivateUse),
            ('\u{10FFFF}', PrivateUse),
            ('\u{FFFF}', PrivateUse),
        ] {
            assert_eq!(kinds(&format!("a{ch}b")), [kind], "{}", code_point(ch));
        }
    }

    #[test]
    fn only_the_three_known_flags_may_use_tags() {
        assert_eq!(flag_len(&format!("{}x", FLAGS[1])), Some(FLAGS[1].len()));
        assert_eq!(flag_len("\u{1F3F4}\u{E0061}\u{E007F}"), None);
    }
}
