//! Unified diffs, read and shown.
//!
//! Owns the rendering of text that claims to be a diff. It must not know what was changed. Nothing is hidden:
//! what doesn't fit the format stays in the table as it is, and a text without a single hunk is plain text.
use crate::{
    server::text::{Rendered, inspect::tally, plain::plain, reveal::Revealer},
    wire::safe_html::SafeHtml,
};

/// A table of more rows is more than a phone can lay out.
pub(super) const MAX_ROWS: usize = 20_000;

/// One row of a diff table.
pub(super) struct Row<'a> {
    pub(super) kind: RowKind,
    /// The line numbers before and after, where the line exists.
    pub(super) old: Option<usize>,
    pub(super) new: Option<usize>,
    /// The line with its sign; the flag marks the parts of it that differ.
    pub(super) text: Vec<(bool, &'a str)>,
}

/// What a row is; the names are part of the CSS classes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    Added,
    Removed,
    Same,
    /// A hunk header.
    Hunk,
    /// Everything else: file headers, notes, what can't be read as a diff.
    Meta,
}

impl RowKind {
    fn class(self) -> &'static str {
        match self {
            Self::Added => "diff-added",
            Self::Removed => "diff-removed",
            Self::Same => "diff-same",
            Self::Hunk => "diff-hunk",
            Self::Meta => "diff-meta",
        }
    }

    /// What a screen reader says first, since it sees no colour and may skip a sign.
    fn spoken(self) -> &'static str {
        match self {
            Self::Added => "<span class=\"sr-only\">added </span>",
            Self::Removed => "<span class=\"sr-only\">removed </span>",
            Self::Same | Self::Hunk | Self::Meta => "",
        }
    }
}

/// Appends one row of the table.
pub(super) fn row_html(revealer: &Revealer, row: &Row<'_>, out: &mut String) {
    out.push_str("<tr class=\"");
    out.push_str(row.kind.class());
    out.push_str("\">");
    for number in [row.old, row.new] {
        out.push_str("<td class=\"diff-number\">");
        if let Some(number) = number {
            out.push_str(&number.to_string());
        }
        out.push_str("</td>");
    }
    out.push_str("<td class=\"diff-text\">");
    out.push_str(row.kind.spoken());
    for (differs, part) in &row.text {
        if *differs {
            out.push_str("<span class=\"diff-word\">");
        }
        revealer.html(part, out);
        if *differs {
            out.push_str("</span>");
        }
    }
    out.push_str("</td></tr>\n");
}

/// Opens and closes the table.
pub(super) const TABLE: (&str, &str) = ("<table class=\"diff\"><tbody>\n", "</tbody></table>");

/// Renders a unified diff as a table with line numbers. A text in which no hunk can be found, or with too many
/// lines, comes out as plain text and says so in [`Rendered::fell_back`].
pub fn unified_diff_html(text: &str) -> Rendered {
    let findings = tally(text).into_findings();
    let mut hunk: Option<Hunk> = None;
    let (mut found, mut rows) = (false, 0);
    let revealer = Revealer::new(text);
    let mut out = String::from(TABLE.0);
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        rows += 1;
        if rows > MAX_ROWS {
            found = false;
            break;
        }
        let (kind, old, new) = if let Some((kind, old, new)) = hunk.as_mut().and_then(|h| h.take(line)) {
            (kind, old, new)
        } else {
            hunk = Hunk::parse(line);
            found |= hunk.is_some();
            (if hunk.is_some() { RowKind::Hunk } else { RowKind::Meta }, None, None)
        };
        row_html(&revealer, &Row { kind, old, new, text: vec![(false, line)] }, &mut out);
    }
    if !found {
        return Rendered { html: plain(text), fell_back: true, findings };
    }
    out.push_str(TABLE.1);
    Rendered { html: SafeHtml::trusted(out), fell_back: false, findings }
}

/// Where in a hunk the reading is.
struct Hunk {
    old: usize,
    new: usize,
    old_left: usize,
    new_left: usize,
}

impl Hunk {
    /// Reads `@@ -3,4 +5,6 @@ whatever`.
    fn parse(line: &str) -> Option<Self> {
        let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let range = |text: &str| -> Option<(usize, usize)> {
            let (start, length) = text.split_once(',').unwrap_or((text, "1"));
            // Numbers beyond any file would overflow the count of lines.
            let number = |digits: &str| digits.parse::<u32>().ok().and_then(|n| usize::try_from(n).ok());
            Some((number(start)?, number(length)?))
        };
        let ((old, old_left), (new, new_left)) = (range(old)?, range(new)?);
        Some(Self { old, new, old_left, new_left })
    }

    /// Takes `line` as the next one of the hunk; `None` if it can't be, because the hunk is complete or the
    /// line has no sign.
    fn take(&mut self, line: &str) -> Option<(RowKind, Option<usize>, Option<usize>)> {
        let is_old = self.old_left > 0;
        let is_new = self.new_left > 0;
        let kind = match line.bytes().next() {
            Some(b'+') if is_new => RowKind::Added,
            Some(b'-') if is_old => RowKind::Removed,
            // Mailers and editors strip the blank of an empty line.
            Some(b' ' | b'\r') | None if is_old && is_new => RowKind::Same,
            // "\ No newline at end of file" belongs to the hunk and counts for nothing.
            Some(b'\\') => return Some((RowKind::Meta, None, None)),
            _ => return None,
        };
        let old = (kind != RowKind::Added).then_some(self.old);
        let new = (kind != RowKind::Removed).then_some(self.new);
        if old.is_some() {
            (self.old, self.old_left) = (self.old + 1, self.old_left - 1);
        }
        if new.is_some() {
            (self.new, self.new_left) = (self.new + 1, self.new_left - 1);
        }
        Some((kind, old, new))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::server::text::testing::{text_of, undo};

    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ fn\n a\n-b<\n+c\u{200B}\n\n\\ No newline\n+stray\n";

    fn row<'a>(html: &'a str, part: &str) -> &'a str {
        html.lines().find(|line| line.contains(part)).unwrap()
    }

    #[test]
    fn lines_have_their_numbers_and_their_colour() {
        let rendered = unified_diff_html(DIFF);
        let html = rendered.html.as_str();
        assert!(!rendered.fell_back);
        assert_eq!(
            row(html, "b&lt;"),
            "<tr class=\"diff-removed\"><td class=\"diff-number\">4</td><td class=\"diff-number\"></td>\
             <td class=\"diff-text\"><span class=\"sr-only\">removed </span>-b&lt;</td></tr>"
        );
        assert!(row(html, "+c").contains("<td class=\"diff-number\"></td><td class=\"diff-number\">4</td>"));
        assert!(row(html, "U+200B").contains("diff-added"));
        for meta in ["--- a/x", "+++ b/x", "No newline", "+stray"] {
            assert!(row(html, meta).contains("diff-meta"), "{meta}");
        }
        assert_eq!(rendered.findings.len(), 1);
    }

    #[test]
    fn a_text_without_hunks_is_plain() {
        for text in ["", "hello", "+a\n-b", "@@ -1 +x @@\n+a", "@@ -99999999999 +1 @@"] {
            assert!(unified_diff_html(text).fell_back, "{text}");
        }
        assert!(unified_diff_html(&format!("@@ -1 +1 @@\n{}", "a\n".repeat(MAX_ROWS))).fell_back);
        assert!(!unified_diff_html("@@ -4294967295,4294967295 +1 @@\n-a\n-b").fell_back);
    }

    proptest! {
        #[test]
        fn no_line_is_lost(lines in proptest::collection::vec("[-+ @\\\\]?[ -~\u{202E}]{0,12}\r?", 0..12)) {
            let text = format!("@@ -1,5 +1,5 @@\n{}", lines.join("\n"));
            let html = unified_diff_html(&text).html;
            text_of(html.as_str()).unwrap();
            let cells: Vec<String> = html.as_str().lines().filter_map(|line| line.split_once("class=\"diff-text\">"))
                .map(|(_, cell)| undo(cell))
                .map(|cell| cell.trim_start_matches("added ").trim_start_matches("removed ").to_owned())
                .collect();
            let expected: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').collect();
            // Lines that begin with the spoken words themselves aside.
            prop_assume!(!expected.iter().any(|line| line.contains("added ") || line.contains("removed ")));
            prop_assert_eq!(cells, expected);
        }
    }
}
