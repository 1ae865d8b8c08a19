//! Words that are not what they look like (UTS 39).
//!
//! Owns the judgement over one word in its text. It must not know about markup. The measure is what a reader
//! takes for plain Latin, because commands, addresses and names are written in it: a word is suspect when
//! letters from elsewhere pose as ASCII letters. Ordinary text in one script, whichever, is never suspect.
use unicode_security::{GeneralSecurityProfile, mixed_script::AugmentedScriptSet, skeleton};

use crate::server::text::{
    digits::{self, Home},
    invisible::{code_point, hidden_kind},
    signs::{follows_scheme, in_address, posing_sign},
};

/// Scripts that share most of their letter shapes with Latin, so that a whole word can pose as a Latin one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Twin {
    Greek,
    Cyrillic,
    Armenian,
    Cherokee,
}

/// Why a word or a sign is suspect. The sentence is made on demand: a text may hold thousands.
#[derive(Clone, Copy)]
pub(super) enum Verdict {
    /// Letters of several scripts, with one that poses; or Latin letters among more Cyrillic ones.
    Mixed { odd: char },
    /// Latin letters of a kind that plain text is not written in.
    NotPlain { odd: char },
    /// A whole word of another script that reads as Latin.
    Posing,
    /// Letters of a script that hardly anybody writes, which look like Latin ones.
    Rare { odd: char },
    /// A digit taken for another.
    Digit { digit: char, value: u32, looks: char },
    /// A sign taken for another.
    Sign { sign: char, plain: char },
}

impl Verdict {
    /// The reason, as the part of a sentence that follows a colon.
    pub(super) fn reason(self, word: &str) -> String {
        match self {
            Self::Mixed { odd } => {
                let mut scripts: Vec<&str> = Vec::new();
                for name in word.chars().filter_map(script_name) {
                    if !scripts.contains(&name) {
                        scripts.push(name);
                    }
                }
                format!("“{}” mixes {} letters; {}", shorten(word), scripts.join(" and "), looks(odd))
            }
            Self::NotPlain { odd } => format!("“{}” is not in plain letters; {}", shorten(word), looks(odd)),
            Self::Posing => {
                let script = word.chars().find_map(script_name).unwrap_or_default();
                format!("“{}” is {script} in letters that all look like Latin ones", shorten(word))
            }
            Self::Rare { odd } => {
                let script = script_name(odd).unwrap_or("rare");
                format!("“{}” has {script} letters; {}", shorten(word), looks(odd))
            }
            Self::Digit { digit, value, looks } => {
                format!("“{}” has a {value} ({}) that looks like “{looks}”", shorten(word), code_point(digit))
            }
            Self::Sign { sign, plain } => format!("{} looks like “{plain}”", code_point(sign)),
        }
    }

    /// Tells whether `c` is one of the characters that make the word suspect.
    pub(super) fn is_odd(self, c: char) -> bool {
        match self {
            Self::Mixed { odd } if odd.is_ascii() => c.is_ascii_alphabetic(),
            Self::Digit { .. } => digits::posing(c).is_some(),
            Self::Sign { sign, .. } => c == sign,
            _ => poses_as_latin(c),
        }
    }
}

/// What the text as a whole says about the scripts its author writes in.
#[derive(Default)]
pub(super) struct Context {
    has_latin: bool,
    has_ideographs: bool,
    /// Letters that only Turkish and its sisters write, where a dotless i is ordinary.
    is_turkic: bool,
    home: Home,
    /// Per [`Twin`]: words that could not be Latin, and words made only of letters that pose as Latin.
    genuine: [u32; 4],
    posing: [u32; 4],
}

impl Context {
    /// Reads the whole text that the words to be judged come from.
    pub(super) fn new(text: &str) -> Self {
        if text.is_ascii() {
            return Self { has_latin: text.bytes().any(|b| b.is_ascii_alphabetic()), ..Self::default() };
        }
        let mut context = Self {
            has_latin: text.bytes().any(|b| b.is_ascii_alphabetic()),
            has_ideographs: text.chars().any(is_ideographic),
            is_turkic: text.contains(['ğ', 'Ğ', 'ş', 'Ş', 'İ', 'ə', 'Ə']),
            home: Home::new(text),
            ..Self::default()
        };
        if context.has_latin {
            for word in text.split(|c| !is_word(c)).filter(|word| !word.is_ascii()) {
                if let Some((twin, poses)) = single_twin(word) {
                    let counts = if poses { &mut context.posing } else { &mut context.genuine };
                    counts[twin as usize] += 1;
                }
            }
        }
        context
    }

    /// Says what is wrong with `word`, the part of a text between `before` and `after`; `None` if nothing is.
    pub(super) fn verdict(&self, before: &str, word: &str, after: &str) -> Option<Verdict> {
        if word.is_ascii() {
            return None;
        }
        mixed(word)
            .or_else(|| rare(word))
            .or_else(|| odd_latin(word))
            .or_else(|| self.odd_in_address(before, word, after))
            .or_else(|| {
                let (digit, value, looks) = self.home.odd_digit(word)?;
                Some(Verdict::Digit { digit, value, looks })
            })
            .or_else(|| self.posing(before, word, after))
    }

    /// Says what is wrong with a sign between `before` and `after`.
    pub(super) fn sign(&self, before: &str, sign: char, after: &str) -> Option<Verdict> {
        let plain = posing_sign(self.has_ideographs, before, sign, after)?;
        Some(Verdict::Sign { sign, plain })
    }

    /// A Latin letter that is ordinary in words (`ı`), in an address.
    fn odd_in_address(&self, before: &str, word: &str, after: &str) -> Option<Verdict> {
        let odd = word.chars().find(|c| poses_as_latin(*c) && script_name(*c) == Some("Latin"))?;
        // Files have Turkish names, too.
        let is_address = follows_scheme(before) || (!self.is_turkic && in_address(before, after));
        is_address.then_some(Verdict::NotPlain { odd })
    }

    /// A word wholly in a twin script that reads as Latin, in a text where that script is not at home or glued
    /// to Latin as in an address.
    fn posing(&self, before: &str, word: &str, after: &str) -> Option<Verdict> {
        let (twin, poses) = single_twin(word)?;
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        // Single Greek letters are mathematics.
        if !poses || !self.has_latin || (letters == 1 && twin == Twin::Greek) {
            return None;
        }
        let foreign = self.genuine[twin as usize] < self.posing[twin as usize];
        let glued = letters > 1 && (ends_glued(before.chars().rev()) || ends_glued(after.chars()));
        (foreign || glued).then_some(Verdict::Posing)
    }
}

/// Tells whether `c` is part of a word. Combining marks are, so that decomposed text stays whole.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
            | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

/// Tells whether a reader takes this character, which is not an ASCII letter, for one or several.
pub(super) fn poses_as_latin(c: char) -> bool {
    // They are whole texts, too: not worth a look-up each.
    if c.is_ascii() || is_ideographic(c) {
        return false;
    }
    let mut buffer = [0; 4];
    skeleton(c.encode_utf8(&mut buffer)).all(|p| p.is_ascii_alphabetic())
}

/// Tells whether `c` belongs to scripts only that are in no everyday use (UAX 31).
pub(super) fn is_rare(c: char) -> bool {
    if c < '\u{530}' || is_ideographic(c) {
        return false;
    }
    let set = AugmentedScriptSet::for_char(c);
    !set.is_all() && set.base.iter().all(|script| !script.is_recommended())
}

/// A letter of a rare script that looks like a Latin one. Cherokee is judged as a twin: whole texts are written
/// in it.
fn rare(word: &str) -> Option<Verdict> {
    let odd = word.chars().find(|c| is_rare(*c) && twin(*c).is_none() && poses_as_latin(*c))?;
    Some(Verdict::Rare { odd })
}

/// Letters of two scripts in one word, one of which could be mistaken for the other's.
fn mixed(word: &str) -> Option<Verdict> {
    if !AugmentedScriptSet::for_str(word).is_empty() {
        return None;
    }
    // Latin letters that hide among more Cyrillic ones.
    let latin = || word.chars().filter(char::is_ascii_alphabetic);
    let cyrillic = word.chars().filter(|c| twin(*c) == Some(Twin::Cyrillic)).count();
    let latin_is_odd = latin().count() < cyrillic && latin().all(|c| "aceiopxyABCEHIKMOPTX".contains(c));
    let odd = latin().next().filter(|_| latin_is_odd).or_else(|| {
        let found =
            word.chars().find(|c| poses_as_latin(*c) && script_name(*c).is_some_and(|s| s != "Latin"))?;
        // Arabic and Hebrew glue their particles to Latin words; only a letter in the middle is odd there.
        (!matches!(found, '\u{590}'..='\u{8FF}') || switches(word) > 1).then_some(found)
    })?;
    Some(Verdict::Mixed { odd })
}

/// Latin letters that no plain text is written with: mathematical alphabets always, ligatures, phonetic and
/// full-width letters when they stand among ASCII letters.
fn odd_latin(word: &str) -> Option<Verdict> {
    let among_ascii = word.bytes().any(|b| b.is_ascii_alphabetic());
    // Japanese mixes full-width letters into its words.
    let is_cjk = word.chars().any(is_ideographic);
    let odd = word.chars().find(|&c| {
        (matches!(c, '\u{1D400}'..='\u{1D7FF}') || (among_ascii && c > '\u{FF}'))
            && !(is_cjk && matches!(c, '\u{FF00}'..='\u{FFEF}'))
            && !c.identifier_allowed()
            && poses_as_latin(c)
    })?;
    Some(Verdict::NotPlain { odd })
}

/// Ideographs, kana and Hangul: never taken for Latin.
pub(super) fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7FF}' | '\u{20000}'..)
}

/// The one twin script of all letters of the word, and whether all of them pose as Latin.
fn single_twin(word: &str) -> Option<(Twin, bool)> {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    let first = twin(letters.clone().next()?)?;
    letters.clone().all(|c| twin(c) == Some(first)).then(|| (first, letters.all(poses_as_latin)))
}

fn twin(c: char) -> Option<Twin> {
    match c {
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Some(Twin::Greek),
        '\u{400}'..='\u{52F}' | '\u{1C80}'..='\u{1C8F}' | '\u{A640}'..='\u{A69F}' => Some(Twin::Cyrillic),
        '\u{530}'..='\u{58F}' => Some(Twin::Armenian),
        '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}' => Some(Twin::Cherokee),
        _ => None,
    }
}

/// Tells whether `text` begins, for a reader, with `plain`: through other letters, other case, marks and what
/// can't be seen.
pub fn reads_like(text: &str, plain: &str) -> bool {
    let seen = |text: &str| -> String {
        let lower: String = text
            .chars()
            .filter(|c| hidden_kind(None, *c, None).is_none())
            .flat_map(char::to_lowercase)
            .collect();
        let bare = skeleton(&lower).filter(|c| !matches!(c, '\u{300}'..='\u{36F}'));
        // A capital I is an l by its look, and a dot is seen by nobody.
        bare.flat_map(char::to_lowercase).map(|c| if c == 'l' { 'i' } else { c }).collect()
    };
    seen(text).trim_start().starts_with(&seen(plain))
}

/// Whether the characters going away from a word are a joint of addresses and then Latin.
fn ends_glued(mut away: impl Iterator<Item = char>) -> bool {
    away.next().is_some_and(|c| "./@:_=".contains(c))
        && away.next().is_some_and(|c| c.is_ascii_alphanumeric())
}

fn switches(word: &str) -> usize {
    let ascii: Vec<bool> = word.chars().map(|c| c.is_ascii()).collect();
    ascii.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

fn looks(c: char) -> String {
    if c.is_ascii() {
        return format!("“{c}” is the Latin letter");
    }
    let plain: String = skeleton(c.encode_utf8(&mut [0; 4])).collect();
    format!("{} looks like “{plain}”", code_point(c))
}

fn script_name(c: char) -> Option<&'static str> {
    let set = AugmentedScriptSet::for_char(c);
    let script = set.base.iter().next().filter(|_| !set.is_all())?;
    Some(script.full_name())
}

fn shorten(word: &str) -> String {
    if word.chars().count() <= 40 { word.to_owned() } else { word.chars().take(40).chain(['…']).collect() }
}

#[cfg(test)]
mod tests;
