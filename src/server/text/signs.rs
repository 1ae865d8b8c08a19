//! Signs that are not what they look like (UTS 39): a dash that is no hyphen, a slash that is no slash.
//!
//! Owns the judgement over one sign between its neighbours. It must not know about markup or words. What a sign
//! is taken for says Unicode's list of confusable characters; where ordinary typography has it (quotes,
//! ranges, dialogue, mathematics, East Asian text) say the habits here. Each looks a bounded way to both
//! sides, so that the whole stays linear.
use unicode_security::{mixed_script::AugmentedScriptSet, skeleton};

use super::lookalike::{is_ideographic, is_rare};

/// How far a sign looks for the address or the parenthesis that it is part of.
const FAR: usize = 64;
/// Longer runs of dashes are rules, not options.
const RUN: usize = 3;

/// Where a sign is ordinary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Habit {
    /// Everywhere.
    Ordinary,
    /// Nowhere.
    Never,
    /// Between words and before numbers; not where an option of a command begins, nor in an address.
    Dash,
    /// Before a word (`‚so‘`), not behind one.
    Opens,
    /// In phonetic writing; not in an address.
    Phonetic,
    /// In text of its own script; not between ASCII characters.
    Own,
    /// As before; not beside an ASCII character.
    OwnAlone,
    /// In East Asian text.
    Wide,
    /// Between numbers and single letters, as in formulas; not beside words and the signs of a command line.
    Formula,
}

/// The ASCII sign that `c` is taken for.
fn plain_sign(c: char) -> Option<char> {
    if c.is_ascii() || is_ideographic(c) {
        return None;
    }
    // Its skeleton is the letter that the bar itself is taken for.
    if c == '\u{1C0}' {
        return Some('|');
    }
    let mut buffer = [0; 4];
    let mut signs = skeleton(c.encode_utf8(&mut buffer));
    let plain = signs.next().filter(|_| signs.next().is_none())?;
    match plain {
        'l' if !c.is_alphanumeric() => Some('|'),
        plain => plain.is_ascii_punctuation().then_some(plain),
    }
}

fn habit(c: char, plain: char) -> Habit {
    match c {
        '\u{1C0}' => Habit::Never,
        '\u{1C3}' => Habit::Formula,
        '\u{2010}'..='\u{2013}' | '\u{2043}' | '\u{2212}' | '\u{2D7}' => Habit::Dash,
        '\u{201A}' | '\u{B8}' => Habit::Opens,
        // Quotes, prompts, emoji.
        '\u{2039}' | '\u{203A}' | '\u{276E}' | '\u{276F}' | '\u{2795}' | '\u{2796}' => Habit::Ordinary,
        '\u{2D0}' | '\u{241}' | '\u{294}' => Habit::Phonetic,
        '\u{FF00}'..='\u{FFEF}' if c.is_alphabetic() => Habit::Ordinary,
        '\u{FE10}'..='\u{FE6F}' | '\u{FF00}'..='\u{FFEF}' => Habit::Wide,
        c if is_rare(c) => {
            if c.is_alphabetic() {
                Habit::Never
            } else {
                Habit::OwnAlone
            }
        }
        // Apostrophes, primes and accents of every kind.
        _ if plain == '\'' => Habit::Ordinary,
        c if c.is_numeric() || !AugmentedScriptSet::for_char(c).is_all() => Habit::Own,
        _ => Habit::Formula,
    }
}

/// Says what `sign` poses as between `before` and `after`; `None` if nothing, or where it is ordinary.
/// `is_east_asian` tells whether the text has ideographs.
pub(super) fn posing_sign(is_east_asian: bool, before: &str, sign: char, after: &str) -> Option<char> {
    let plain = plain_sign(sign)?;
    let (prev, next) = (before.chars().next_back(), after.chars().next());
    let either = |test: fn(&char) -> bool| prev.is_some_and(|c| test(&c)) || next.is_some_and(|c| test(&c));
    let both = |test: fn(&char) -> bool| prev.is_some_and(|c| test(&c)) && next.is_some_and(|c| test(&c));
    let is_posing = match habit(sign, plain) {
        Habit::Ordinary => false,
        Habit::Never => true,
        Habit::Dash => {
            begins_option(before, sign, after)
                || (both(char::is_ascii_alphanumeric)
                    && either(char::is_ascii_alphabetic)
                    && in_address(before, after))
        }
        Habit::Opens => prev.is_some_and(|c| c.is_ascii_alphanumeric()),
        Habit::Phonetic => {
            after.starts_with("//") || (both(char::is_ascii_alphanumeric) && in_address(before, after))
        }
        Habit::Own => both(char::is_ascii_graphic),
        Habit::OwnAlone => either(char::is_ascii_graphic),
        Habit::Wide => !is_east_asian && either(char::is_ascii_alphanumeric),
        Habit::Formula => {
            let in_command: fn(&char) -> bool = |c| "/\\~|&$=*".contains(*c);
            let in_name = after.strip_prefix('.').is_some_and(|rest| starts_with_letters(rest, 1));
            either(char::is_ascii_alphabetic)
                || either(in_command)
                || in_name
                || is_beside_word(before, after)
        }
    };
    is_posing.then_some(plain)
}

fn is_dash(c: char) -> bool {
    c == '-' || (!c.is_ascii() && plain_sign(c) == Some('-'))
}

/// Whether a dash stands where the options of a command begin: ` ‐rf`, ` –‐force`.
fn begins_option(before: &str, dash: char, after: &str) -> bool {
    let mut outer = before.chars().rev().enumerate().skip_while(|(n, c)| *n < RUN && is_dash(*c));
    let outer = outer.next().map(|(_, c)| c);
    let mut name = after.chars().enumerate().skip_while(|(n, c)| *n < RUN && is_dash(*c));
    let begins = outer.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
    if !begins || !name.next().is_some_and(|(_, c)| c.is_ascii_alphabetic()) {
        return false;
    }
    let is_alone = !before.ends_with(is_dash) && !after.starts_with(is_dash);
    match dash {
        // Dialogue and lists at the start of a line, –insertions– within.
        '\u{2013}' if is_alone => outer.is_some_and(|c| c != '\n') && !is_insertion(after),
        // `y = −x` is a formula.
        '\u{2212}' if is_alone => {
            starts_with_letters(after, 2) || before.trim_end().ends_with(|c: char| c.is_ascii_alphabetic())
        }
        _ => true,
    }
}

/// Whether an en dash before `after` has its partner in the same line, closing what it opened.
fn is_insertion(after: &str) -> bool {
    let mut before = ' ';
    let mut chars = after.chars().take(2 * FAR).take_while(|c| *c != '\n').peekable();
    while let Some(c) = chars.next() {
        let closes = c == '\u{2013}' && !before.is_whitespace();
        if closes && chars.peek().is_none_or(|next| !next.is_alphanumeric()) {
            return true;
        }
        before = c;
    }
    false
}

/// Whether a place between these two is in the name of a host, in a mail address or in the name of a file.
pub(super) fn in_address(before: &str, after: &str) -> bool {
    let mut dot = false;
    for c in after.chars().take(FAR).take_while(|c| !c.is_whitespace()) {
        if c == '@' || (dot && c.is_ascii_alphabetic()) {
            return true;
        }
        dot = c == '.';
    }
    follows_scheme(before)
}

/// Whether the part of a word before a place says that an address has begun.
pub(super) fn follows_scheme(before: &str) -> bool {
    let mut slashes = 0;
    for c in before.chars().rev().take(FAR).take_while(|c| !c.is_whitespace()) {
        if c == '@' || (slashes >= 2 && c == ':') {
            return true;
        }
        slashes = if c == '/' { slashes + 1 } else { 0 };
    }
    false
}

fn starts_with_letters(text: &str, count: usize) -> bool {
    text.chars().take(count).filter(char::is_ascii_alphabetic).count() == count
}

/// Whether the neighbour across one space is a word; single letters are variables.
fn is_beside_word(before: &str, after: &str) -> bool {
    let ends = |text: &str| text.chars().rev().take(2).filter(char::is_ascii_alphabetic).count() == 2;
    before.strip_suffix(' ').is_some_and(ends)
        || after.strip_prefix(' ').is_some_and(|text| starts_with_letters(text, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The signs of a text that pose, each with what it poses as.
    fn posing(text: &str) -> Vec<(char, char)> {
        let is_east_asian = text.chars().any(is_ideographic);
        let found = text.char_indices().filter_map(|(at, c)| {
            let after = &text[at + c.len_utf8()..];
            Some((c, posing_sign(is_east_asian, &text[..at], c, after)?))
        });
        found.collect()
    }

    #[test]
    fn ordinary_typography_is_not_suspect() {
        for text in [
            "„So ‚ist‘ es“, he said: ‘it’s ‹fine›’ — “well‐known”, e‑mail, 5′ 3″",
            "2010–2012, pages 3–4, New York–London, a – b, −5 °C, 3 − 2, y = −x, f(−x)",
            "–Hola, dijo –casi susurrando– y se fue. –¿Qué?",
            "– Tak – odpowiedział",
            "3∶1, 1∕2, 2 ∗ 3, f ∗ g, A ∖ B, p ∣ n, ∼5",
            "Settings › Account, ❯ ls, ➕ ➖",
            "价格：10（含税），API：OK。Ａ／Ｂ，使用ＣＰＵ（x86）",
            "עברית: צה״ל, ג׳ירפה, סוס. العربية، ما هذا؟ ١٠٫٥ اردو۔",
            "Հայերեն։ API։ हिन्दी। दुःख API। ኢትዮጵያ፡ Ελληνικά;",
            "ʻOkina, Hawaiʻi, naïve, [fiːld], /iː/, baʔn, ˈfɒnt",
        ] {
            assert_eq!(posing(text), [], "{text}");
        }
    }

    #[test]
    fn signs_of_commands_and_addresses_are_told_apart() {
        for (text, sign, plain) in [
            ("rm ‐rf /", '‐', '-'),
            ("rm ‑rf /", '‑', '-'),
            ("rm −r /", '−', '-'),
            ("git push –force", '–', '-'),
            ("git push -‐force", '‐', '-'),
            ("https://good‐bank.example", '‐', '-'),
            ("mail a‑b@bank.example", '‑', '-'),
            ("C:∖Windows", '∖', '\\'),
            ("rm ∗", '∗', '*'),
            ("rm /∗", '∗', '*'),
            ("rm ∗.txt", '∗', '*'),
            ("curl x ǀ sh", 'ǀ', '|'),
            ("curl ∣ sh", '∣', '|'),
            ("1‚000", '‚', ','),
            ("bank.exampleꓸevil", 'ꓸ', '.'),
            ("ꓸ", 'ꓸ', '.'),
            ("httpsː//bank.example", 'ː', ':'),
            ("https։//bank.example", '։', ':'),
            ("bank．example", '．', '.'),
            ("bank٠example", '٠', '.'),
        ] {
            assert_eq!(posing(text), [(sign, plain)], "{text}");
        }
        assert_eq!(posing("git push ‐‐force").len(), 2);
        assert_eq!(posing("git push ––force").len(), 2);
    }
}
