//! Counts what is odd in a text and says it in sentences.
//!
//! Owns the wording of the warnings on a card. It must not know how text is displayed.
use std::collections::BTreeMap;

use crate::server::text::{
    finding::{Finding, FindingKind},
    invisible::code_point,
    lookalike::Verdict,
    reveal::{Piece, Revealer},
};

/// How many distinct code points a finding lists.
const LISTED: usize = 8;

#[derive(Default)]
struct Seen {
    count: u32,
    code_points: Vec<char>,
    reason: Option<String>,
}

/// What was found so far, by kind.
#[derive(Default)]
pub(super) struct Tally(BTreeMap<FindingKind, Seen>);

impl Tally {
    /// Counts what is odd in a part of the revealer's text.
    pub(super) fn add(&mut self, revealer: &Revealer, part: &str) {
        revealer.pieces(part, |piece| match piece {
            Piece::Plain(_) => {}
            Piece::Hidden(ch, kind) => self.note(kind, std::iter::once(ch), None),
            Piece::LookAlike(word, verdict) => {
                self.note(
                    FindingKind::LookAlike,
                    word.chars().filter(|c| verdict.is_odd(*c)),
                    Some((word, verdict)),
                );
            }
        });
    }

    fn note(
        &mut self,
        kind: FindingKind,
        chars: impl Iterator<Item = char>,
        reason: Option<(&str, Verdict)>,
    ) {
        let seen = self.0.entry(kind).or_default();
        seen.count += 1;
        if seen.reason.is_none() {
            seen.reason = reason.map(|(word, verdict)| verdict.reason(word));
        }
        if seen.code_points.len() == LISTED {
            return;
        }
        for ch in chars {
            if seen.code_points.len() < LISTED && !seen.code_points.contains(&ch) {
                seen.code_points.push(ch);
            }
        }
    }

    /// Takes over what `other` saw more of: two readings of one text, as written and as rendered.
    pub(super) fn merge(&mut self, other: Self) {
        for (kind, seen) in other.0 {
            let mine = self.0.entry(kind).or_default();
            if seen.count > mine.count {
                *mine = seen;
            }
        }
    }

    /// How much was found in all.
    pub(super) fn total(&self) -> u32 {
        self.0.values().map(|seen| seen.count).sum()
    }

    /// Returns the findings, the worst first.
    pub(super) fn into_findings(mut self) -> Vec<Finding> {
        FindingKind::ALL.into_iter().filter_map(|kind| Some(finding(kind, self.0.remove(&kind)?))).collect()
    }
}

fn finding(kind: FindingKind, seen: Seen) -> Finding {
    let Seen { count, code_points, reason } = seen;
    let one = count == 1;
    let what = match (kind, one) {
        (FindingKind::Bidi, true) => "character that changes the reading direction",
        (FindingKind::Bidi, false) => "characters that change the reading direction",
        (FindingKind::Invisible, true) => "invisible character",
        (FindingKind::Invisible, false) => "invisible characters",
        (FindingKind::Tag, true) => "invisible tag character that can carry hidden text",
        (FindingKind::Tag, false) => "invisible tag characters that can carry hidden text",
        (FindingKind::Control, true) => "control character",
        (FindingKind::Control, false) => "control characters",
        (FindingKind::LookAlike, true) => "word or sign that is not what it looks like",
        (FindingKind::LookAlike, false) => "words or signs that are not what they look like",
        (FindingKind::PrivateUse, true) => "character without a fixed meaning",
        (FindingKind::PrivateUse, false) => "characters without a fixed meaning",
        (FindingKind::Space, true) => "unusual space",
        (FindingKind::Space, false) => "unusual spaces",
    };
    let sentence = match reason {
        Some(reason) if one => format!("{count} {what}: {reason}"),
        Some(reason) => format!("{count} {what}, the first: {reason}"),
        None => format!("{count} {what}, shown as {}", examples(&code_points)),
    };
    Finding { kind, count, sentence, code_points: code_points.into_iter().map(code_point).collect() }
}

fn examples(code_points: &[char]) -> String {
    let shown: Vec<String> = code_points.iter().take(3).map(|c| format!("⟨{}⟩", code_point(*c))).collect();
    let rest = if code_points.len() > 3 { " and others" } else { "" };
    format!("{}{rest}", shown.join(", "))
}

/// Finds everything in `text` that a reader would not see or would misread, the worst first.
pub fn inspect(text: &str) -> Vec<Finding> {
    tally(text).into_findings()
}

pub(super) fn tally(text: &str) -> Tally {
    let mut tally = Tally::default();
    tally.add(&Revealer::new(text), text);
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_says_how_many_and_how_they_are_shown() {
        let found = inspect("a\u{200B}b\u{200B}c\u{2060}");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].kind, found[0].count), (FindingKind::Invisible, 3));
        assert_eq!(found[0].code_points, ["U+200B", "U+2060"]);
        assert_eq!(found[0].sentence, "3 invisible characters, shown as ⟨U+200B⟩, ⟨U+2060⟩");
    }

    #[test]
    fn the_worst_comes_first_and_spaces_do_not_warn() {
        let found = inspect("10\u{202F}000 p\u{430}ypal \u{202E}");
        let kinds: Vec<_> = found.iter().map(|f| (f.kind, f.kind.is_warning())).collect();
        assert_eq!(
            kinds,
            [(FindingKind::Bidi, true), (FindingKind::LookAlike, true), (FindingKind::Space, false)]
        );
        assert_eq!(
            found[1].sentence,
            "1 word or sign that is not what it looks like: “p\u{430}ypal” mixes Latin and Cyrillic letters; \
             U+0430 looks like “a”"
        );
    }

    #[test]
    fn ordinary_text_has_no_findings() {
        assert_eq!(inspect("Größe 5 µm\r\n\tПривет мир, 東京\u{3000}タワー 👩\u{200D}💻"), []);
    }
}
