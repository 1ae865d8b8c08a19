//! Which parts of the source the parser accounts for.
//!
//! Owns the search for what it passes over in silence: definitions, above all second ones of a name, which it
//! forgets. It must not know how anything looks. Whatever is no marker of a list or quote and in no leaf block is
//! such a part, whether or not this module knows what it is.
use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

/// What is accounted for so far.
#[derive(Default)]
pub(super) struct Cover {
    ranges: Vec<Range<usize>>,
    /// How deep inside a leaf the events are; a leaf's range holds all that is in it.
    depth: usize,
}

impl Cover {
    /// Takes note of an event of the parser, in its order.
    pub(super) fn event(&mut self, event: &Event<'_>, range: &Range<usize>) {
        let is_container = matches!(
            event,
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::Item)
                | Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item)
        );
        if is_container {
            return;
        }
        if self.depth == 0 {
            self.add(range.clone());
        }
        match event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Accounts for a definition that is used.
    pub(super) fn add(&mut self, range: Range<usize>) {
        self.ranges.push(range);
    }

    /// The parts of `source` that nothing accounts for, in order.
    pub(super) fn gaps(mut self, source: &str) -> Vec<&str> {
        self.ranges.sort_unstable_by_key(|range| range.start);
        let mut gaps = Vec::new();
        let mut from = 0;
        for range in self.ranges.into_iter().chain(std::iter::once(source.len()..source.len())) {
            if from < range.start {
                let gap = source.get(from..range.start).unwrap_or_default();
                if !gap.lines().all(is_markers) {
                    gaps.push(gap.trim());
                }
            }
            from = from.max(range.end);
        }
        gaps
    }
}

/// Whether a line has nothing but the marks of quotes, lists and line breaks.
fn is_markers(line: &str) -> bool {
    line.split_whitespace().all(|word| {
        let word = word.trim_start_matches(['>', '\\']);
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        matches!(word, "" | "-" | "+" | "*") || (digits.len() < word.len() && matches!(digits, "." | ")"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marks_of_blocks_are_markers() {
        for line in ["", "> > -", "  5000. *", "1) \\", ">> "] {
            assert!(is_markers(line), "{line}");
        }
        for line in ["[o]: x", "> [o]: x", "5000", "--", "-5", "a", "5.5"] {
            assert!(!is_markers(line), "{line}");
        }
    }
}
