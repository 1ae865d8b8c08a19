//! The parts of Markdown that don't map to one element: links, images, code blocks, lists and tables whose source
//! says more than a browser shows, unused definitions.
//!
//! Owns what a reader is told beside them. Same rules as its parent.
use pulldown_cmark::LinkType;

use super::{Open, Renderer};
use crate::server::text::{
    escape::escape,
    language::Language,
    link::{Target, target},
    plain::code_html,
};

/// The numbers of an ordered list.
pub(super) struct Numbers {
    first: u64,
    next: u64,
}

impl Renderer<'_> {
    pub(super) fn start_link(
        &mut self,
        kind: LinkType,
        address: &str,
        title: &str,
        id: &str,
        is_image: bool,
    ) {
        if let Some(definition) = self.definitions.reference_definitions().get(id).filter(|_| !id.is_empty())
        {
            self.cover.add(definition.span.clone());
        }
        // Of the short forms the label is the text.
        let label = if kind == LinkType::Reference { id.to_owned() } else { String::new() };
        let address = if kind == LinkType::Email { format!("mailto:{address}") } else { address.to_owned() };
        if !is_image
            && !self.in_image()
            && let Target::Open { href, .. } = target(&address, "")
        {
            self.out.push_str("<a href=\"");
            escape(&href, &mut self.out);
            // The sanitiser adds rel and target to every link.
            self.out.push_str("\">");
        }
        self.open.push(Open { address, title: title.to_owned(), label, text: String::new(), is_image });
    }

    /// Ends a link with where it leads, or writes the image that was gathered.
    pub(super) fn end_link(&mut self) {
        let Some(Open { address, title, label, text, is_image }) = self.open.pop() else { return };
        let label = other_label(&label, &text);
        if self.in_image() {
            // Its text is part of the outer image's text already; its address would be lost.
            return self.text(&format!(" ({address}{}{label})", quoted(&title)));
        }
        if is_image {
            let alt = if text.trim().is_empty() { String::new() } else { format!("{} — ", text.trim()) };
            let label = format!("[image: {alt}{address}{}{label}]", quoted(&title));
            return self.span("image", &label);
        }
        match target(&address, &text) {
            Target::Open { shown, warning, .. } => {
                self.out.push_str("</a> ");
                self.span("link-host", &shown);
                if let Some(warning) = warning {
                    self.out.push(' ');
                    self.span("link-warning", &warning);
                }
            }
            Target::Refuse => {
                self.out.push(' ');
                self.span("link-refused", &format!("[{address}]"));
            }
        }
        let said = quoted(&title) + &label;
        if !said.is_empty() {
            self.span("link-title", &said);
        }
    }

    pub(super) fn start_code(&mut self, info: &str) {
        let name = info.split_whitespace().next().unwrap_or_default();
        let language = Language::from_fence(name);
        let is_known = language != Language::Generic;
        // What a fence says beyond a language that the reader sees by its colours would be seen by nobody.
        if !name.is_empty() && (!is_known || name != info.trim()) {
            self.out.push_str("<p class=\"code-info\">");
            self.reveal(info);
            self.out.push_str("</p>");
        }
        self.out.push_str("<pre class=\"code\"><code");
        if is_known {
            self.out.push_str(" class=\"language-");
            self.out.push_str(&name.to_ascii_lowercase());
            self.out.push('"');
        }
        self.out.push('>');
        self.code = Some((language, String::new()));
    }

    pub(super) fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        self.tally.add(&self.revealer, &code);
        code_html(&self.revealer, language, &code, &mut self.out);
        self.out.push_str("</code></pre>\n");
    }

    pub(super) fn start_list(&mut self, first: Option<u64>) {
        match first {
            None => self.out.push_str("<ul>"),
            Some(1) => self.out.push_str("<ol>"),
            Some(first) => {
                self.out.push_str("<ol start=\"");
                self.out.push_str(&first.to_string());
                self.out.push_str("\">");
            }
        }
        self.lists.push(first.map(|first| Numbers { first, next: first }));
    }

    /// Begins an item with the number that was written, where a browser would show another one.
    pub(super) fn start_item(&mut self, at: usize) {
        let Some(Some(numbers)) = self.lists.last_mut() else { return self.out.push_str("<li>") };
        // Whoever numbers every item the same leaves the counting to the reader's program.
        let written = number(self.source.get(at..).unwrap_or_default()).filter(|n| *n != numbers.first);
        let shown = written.unwrap_or(numbers.next);
        if shown == numbers.next {
            self.out.push_str("<li>");
        } else {
            self.out.push_str("<li value=\"");
            self.out.push_str(&shown.to_string());
            self.out.push_str("\">");
        }
        numbers.next = shown.saturating_add(1);
    }

    pub(super) fn start_row(&mut self, cell: &'static str, markup: &str, at: usize) {
        (self.cell, self.column) = (cell, 0);
        let line = self.source.get(at..).unwrap_or_default();
        self.row_end = at + line.find(['\n', '\r']).unwrap_or(line.len());
        self.out.push_str(markup);
    }

    /// Shows in the last column what stands behind it in its row: the parser drops such cells.
    pub(super) fn surplus(&mut self, end: usize) {
        if self.column < self.alignments.len() {
            return;
        }
        // A cell that was missing in the source ends on the next line.
        let rest = self.source.get(end..self.row_end).unwrap_or_default();
        let rest = rest.trim_matches(|c: char| c == '|' || c.is_whitespace());
        if !rest.is_empty() {
            self.out.push(' ');
            self.span("md-unused", rest);
        }
    }

    /// Shows what no block of the text and no definition that is used accounts for: other definitions
    /// (`[name]: address "title"`), a known way to hide a comment.
    pub(super) fn unread(&mut self) {
        let source = self.source;
        for part in std::mem::take(&mut self.cover).gaps(source) {
            self.out.push_str("<p class=\"md-unused\">");
            self.reveal(part);
            self.out.push_str("</p>\n");
        }
    }
}

/// The number that an item begins with.
fn number(item: &str) -> Option<u64> {
    let item = item.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let digits = item.bytes().take(10).take_while(u8::is_ascii_digit).count();
    item.get(digits..)?.starts_with(['.', ')']).then(|| item[..digits].parse().ok())?
}

/// What a reference calls its definition, where that is not what the reader sees of it.
fn other_label(label: &str, text: &str) -> String {
    let words = |text: &str| text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    if words(label) == words(text) || label.is_empty() { String::new() } else { format!(" [{label}]") }
}

fn quoted(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!(" “{title}”") }
}
