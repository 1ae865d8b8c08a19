//! What a person changed in a text.
//!
//! Owns the comparison of two versions, as unified diff text for programs and as a table for people. It must
//! not know what the texts are part of.
use std::time::{Duration, Instant};

use similar::{ChangeTag, TextDiff, TextDiffConfig};

use crate::{
    server::text::{
        diff::{MAX_ROWS, Row, RowKind, TABLE, row_html},
        plain::plain,
        reveal::Revealer,
    },
    wire::safe_html::SafeHtml,
};

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// After this the comparison settles for a diff that is correct but not the shortest: two unrelated texts of
/// thousands of lines would otherwise take seconds.
const PATIENCE: Duration = Duration::from_millis(200);

fn config() -> TextDiffConfig {
    let mut config = TextDiff::configure();
    config.timeout(PATIENCE);
    config
}

/// Returns a unified diff of two versions of `name`, with three lines of context; empty if they are equal.
pub fn unified_diff(before: &str, after: &str, name: &str) -> String {
    // A line feed in a name would end the header early.
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    config()
        .diff_lines(before, after)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string()
}

/// Renders the differences of two versions as a table, with the words that differ marked and unchanged stretches
/// counted; two equal versions have no rows. More rows than a phone can lay out come as a plain unified diff.
pub fn changes_html(before: &str, after: &str) -> SafeHtml {
    let config = config();
    let diff = config.diff_lines(before, after);
    let (old, new) = (Revealer::new(before), Revealer::new(after));
    let mut out = String::from(TABLE.0);
    let (mut shown, total) = (0, diff.old_slices().len());
    let (mut rows, deadline) = (0, Instant::now() + PATIENCE);
    for group in diff.grouped_ops(CONTEXT) {
        let first = group.first().map_or(shown, |op| op.old_range().start);
        unchanged(first.saturating_sub(shown), &new, &mut out);
        for op in group {
            shown = op.old_range().end;
            for change in diff.iter_inline_changes_deadline(&op, Some(deadline)) {
                rows += 1;
                if rows > MAX_ROWS {
                    return plain(&unified_diff(before, after, "text"));
                }
                let (kind, sign, revealer) = match change.tag() {
                    ChangeTag::Insert => (RowKind::Added, "+", &new),
                    ChangeTag::Delete => (RowKind::Removed, "-", &old),
                    ChangeTag::Equal => (RowKind::Same, " ", &new),
                };
                let mut text = vec![(false, sign)];
                text.extend(change.values().iter().map(|(differs, part)| (*differs, without_line_end(part))));
                let (old, new) = (change.old_index().map(|i| i + 1), change.new_index().map(|i| i + 1));
                row_html(revealer, &Row { kind, old, new, text }, &mut out);
                if change.missing_newline() {
                    let text = vec![(false, "\\ No newline at end of text")];
                    row_html(revealer, &Row { kind: RowKind::Meta, old: None, new: None, text }, &mut out);
                }
            }
        }
    }
    if shown > 0 || !out.ends_with(TABLE.0) {
        unchanged(total.saturating_sub(shown), &new, &mut out);
    }
    out.push_str(TABLE.1);
    SafeHtml::trusted(out)
}

/// A row that stands for `count` lines that are equal on both sides.
fn unchanged(count: usize, revealer: &Revealer, out: &mut String) {
    if count > 0 {
        let lines = if count == 1 { "line" } else { "lines" };
        let text = format!("{count} unchanged {lines}");
        row_html(
            revealer,
            &Row { kind: RowKind::Hunk, old: None, new: None, text: vec![(false, &text)] },
            out,
        );
    }
}

/// The line feed is the row's end; a carriage return before it stays, because it may be the whole difference.
fn without_line_end(part: &str) -> &str {
    part.strip_suffix('\n').unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::server::text::{diff::unified_diff_html, testing::text_of};

    #[test]
    fn the_text_form_is_a_real_unified_diff() {
        assert_eq!(
            unified_diff("a\nb\n", "a\nc\n", "preview.body"),
            "--- a/preview.body\n+++ b/preview.body\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        );
        assert_eq!(unified_diff("a", "a", "x"), "");
        assert!(unified_diff("a", "b", "x").contains("\\ No newline at end of file"));
    }

    #[test]
    fn the_words_that_differ_are_marked() {
        let html = changes_html("one two three\n", "one 2 three\n");
        assert!(
            html.as_str().contains("-one <span class=\"diff-word\">two</span> three"),
            "{}",
            html.as_str()
        );
        assert!(html.as_str().contains("+one <span class=\"diff-word\">2</span> three"));
        assert!(html.as_str().contains("<td class=\"diff-number\">1</td><td class=\"diff-number\"></td>"));
    }

    #[test]
    fn unchanged_stretches_are_counted() {
        let before = "x\n".repeat(20);
        let html = changes_html(&before, &format!("{before}y\n"));
        assert!(html.as_str().contains("17 unchanged lines"), "{}", html.as_str());
        let html = changes_html(&format!("y\n{before}"), &before);
        assert!(html.as_str().contains("17 unchanged lines"), "{}", html.as_str());
        assert!(!changes_html(&before, &before).as_str().contains("<tr"));
    }

    #[test]
    fn unrelated_texts_do_not_take_forever() {
        let text = |salt: u64| {
            let lines: Vec<String> = (0..30_000_u64).map(|i| format!("{salt} {}", i * 7919 % 97)).collect();
            lines.join("\n")
        };
        let start = Instant::now();
        assert!(!unified_diff(&text(1), &text(5), "x").is_empty());
        assert!(changes_html(&text(1), &text(5)).as_str().starts_with("<pre class=\"plain\">"));
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }

    proptest! {
        #[test]
        fn any_two_texts_compare(before in "[ab <&\n\r\u{200B}]{0,40}", after in "[ab <&\n\r\u{430}]{0,40}") {
            text_of(changes_html(&before, &after).as_str()).unwrap();
            let diff = unified_diff(&before, &after, "x");
            prop_assert_eq!(diff.is_empty(), before == after);
            if before != after {
                text_of(unified_diff_html(&diff).html.as_str()).unwrap();
            }
        }
    }
}
