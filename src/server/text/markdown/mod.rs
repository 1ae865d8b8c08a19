//! Markdown to markup.
//!
//! Owns the reading of Markdown (`CommonMark` with tables, strike-through and task lists) and what each part of it
//! looks like. It must not know about pages, and must not write elements that the sanitiser's list lacks. The
//! invariants: no part of the text is interpreted as HTML, nothing is loaded, and nothing the agent wrote
//! disappears: addresses, titles and labels, fence infos, numbers of lists, surplus cells, HTML and unused link
//! definitions stay readable.
//!
//! Headings become paragraphs that look like headings: the outline of the page belongs to the page, and an
//! agent's "Approved by" must not be a landmark in it.
mod cover;
mod links;
mod parts;

use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd, TextMergeWithOffset};

use cover::Cover;
pub use links::link_warning;
use parts::Numbers;

use crate::{
    server::text::{
        Rendered,
        inspect::{Tally, tally},
        language::Language,
        plain::plain,
        reveal::Revealer,
        sanitize::sanitize,
    },
    wire::safe_html::SafeHtml,
};

/// Deeper than any honest document. A phone has no room for the indents of more.
const MAX_DEPTH: usize = 16;
/// Markup that grows beyond this is shown as plain text, so that one card can't stall a server or a phone.
const MAX_HTML: usize = 2 << 20;
/// Each mark is some hundred bytes of markup, so that more of them would only reach [`MAX_HTML`] later.
const MAX_MARKS: u32 = 10_000;

/// The Markdown that is understood. No footnotes and no heading attributes: they would make ids.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// Renders Markdown. Text that is nested or grows beyond reason comes out as plain text, and says so in
/// [`Rendered::fell_back`].
pub fn markdown(text: &str) -> Rendered {
    let mut findings = tally(text);
    let mut renderer = Renderer::new(text);
    let finished = findings.total() <= MAX_MARKS && renderer.run();
    let html = if finished { sanitize(&renderer.out) } else { None };
    if html.is_some() {
        // Entities (`&ZeroWidthSpace;`) only turn into what they are in the rendered text.
        findings.merge(renderer.tally);
    }
    let fell_back = html.is_none();
    let html = html.map_or_else(|| plain(text), SafeHtml::trusted);
    Rendered { html, fell_back, findings: findings.into_findings() }
}

/// A link or an image whose end has not come yet. An image gathers its text instead of writing it.
struct Open {
    address: String,
    title: String,
    /// Of a reference, what it calls the definition.
    label: String,
    text: String,
    is_image: bool,
}

struct Renderer<'a> {
    source: &'a str,
    revealer: Revealer,
    tally: Tally,
    out: String,
    open: Vec<Open>,
    code: Option<(Language, String)>,
    cell: &'static str,
    alignments: Vec<Alignment>,
    column: usize,
    /// Where the line of the table's row ends.
    row_end: usize,
    /// Of each open list, the numbers if it has any.
    lists: Vec<Option<Numbers>>,
    /// Read for its definitions alone: the one that is used up can't be asked.
    definitions: Parser<'a>,
    cover: Cover,
}

impl<'a> Renderer<'a> {
    fn new(source: &'a str) -> Self {
        Self {
            source,
            revealer: Revealer::new(source),
            tally: Tally::default(),
            out: String::with_capacity(source.len() * 2),
            open: Vec::new(),
            code: None,
            cell: "td",
            alignments: Vec::new(),
            column: 0,
            row_end: 0,
            lists: Vec::new(),
            definitions: Parser::new_ext(source, options()),
            cover: Cover::default(),
        }
    }

    /// Renders everything; `false` if it gave up.
    fn run(&mut self) -> bool {
        let parser = Parser::new_ext(self.source, options());
        let mut depth = 0_usize;
        // Merged, because the parser cuts text at every escape and entity and a word must be judged whole.
        for (event, range) in TextMergeWithOffset::new(parser.into_offset_iter()) {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            if depth > MAX_DEPTH || self.out.len() > MAX_HTML {
                return false;
            }
            self.cover.event(&event, &range);
            self.event(event, range);
        }
        self.unread();
        self.out.len() <= MAX_HTML
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(text) => self.wrapped("<code>", &text, "</code>"),
            Event::Html(html) | Event::InlineHtml(html) => {
                self.wrapped("<span class=\"raw-html\">", &html, "</span>");
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak if self.in_image() => self.text("\n"),
            Event::HardBreak => self.out.push_str("<br>"),
            Event::Rule => self.out.push_str("<hr>"),
            Event::TaskListMarker(done) => {
                self.out.push_str("<span class=\"task\">");
                self.out.push_str(if done { "[x]" } else { "[ ]" });
                self.out.push_str("</span> ");
            }
            // Off in `options`; were they ever on, they would still be text.
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Link { link_type, dest_url, title, id } => {
                self.start_link(link_type, &dest_url, &title, &id, false);
            }
            Tag::Image { link_type, dest_url, title, id } => {
                self.start_link(link_type, &dest_url, &title, &id, true);
            }
            _ if self.in_image() => {}
            Tag::CodeBlock(kind) => {
                let info =
                    if let CodeBlockKind::Fenced(info) = kind { info.to_string() } else { String::new() };
                self.start_code(&info);
            }
            Tag::Heading { level, .. } => {
                self.out.push_str("<p class=\"md-heading md-h");
                self.out.push_str(&(level as usize).to_string());
                self.out.push_str("\">");
            }
            Tag::List(first) => self.start_list(first),
            Tag::Item => self.start_item(range.start),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.out.push_str("<div class=\"md-table\"><table>");
            }
            Tag::TableHead => self.start_row("th", "<thead><tr>", range.start),
            Tag::TableRow => self.start_row("td", "<tr>", range.start),
            Tag::TableCell => {
                self.out.push('<');
                self.out.push_str(self.cell);
                self.out.push_str(match self.alignments.get(self.column) {
                    Some(Alignment::Left) => " class=\"align-left\">",
                    Some(Alignment::Center) => " class=\"align-center\">",
                    Some(Alignment::Right) => " class=\"align-right\">",
                    Some(Alignment::None) | None => ">",
                });
                self.column += 1;
            }
            Tag::Paragraph => self.out.push_str("<p>"),
            Tag::BlockQuote(_) => self.out.push_str("<blockquote>"),
            Tag::Emphasis => self.out.push_str("<em>"),
            Tag::Strong => self.out.push_str("<strong>"),
            Tag::Strikethrough => self.out.push_str("<del>"),
            // HTML is text here, and the rest is off in `options`.
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        let markup = match tag {
            TagEnd::Link | TagEnd::Image => return self.end_link(),
            _ if self.in_image() => return,
            TagEnd::List(_) => {
                self.lists.pop();
                if tag == TagEnd::List(true) { "</ol>\n" } else { "</ul>\n" }
            }
            TagEnd::TableCell => {
                self.surplus(range.end);
                if self.cell == "th" { "</th>" } else { "</td>" }
            }
            TagEnd::CodeBlock => return self.end_code(),
            TagEnd::Paragraph | TagEnd::Heading(_) => "</p>\n",
            TagEnd::BlockQuote(_) => "</blockquote>\n",
            TagEnd::Item => "</li>\n",
            TagEnd::Table => "</tbody></table></div>\n",
            TagEnd::TableHead => "</tr></thead><tbody>",
            TagEnd::TableRow => "</tr>\n",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            _ => return,
        };
        self.out.push_str(markup);
    }

    fn in_image(&self) -> bool {
        self.open.iter().any(|open| open.is_image)
    }

    /// Writes text, or gathers it when it belongs to an image.
    fn text(&mut self, text: &str) {
        for open in &mut self.open {
            open.text.push_str(text);
        }
        if !self.in_image() {
            self.reveal(text);
        }
    }

    fn wrapped(&mut self, before: &str, text: &str, after: &str) {
        if self.in_image() {
            return self.text(text);
        }
        self.out.push_str(before);
        self.text(text);
        self.out.push_str(after);
    }

    fn reveal(&mut self, text: &str) {
        self.tally.add(&self.revealer, text);
        self.revealer.html(text, &mut self.out);
    }

    fn span(&mut self, class: &str, text: &str) {
        self.out.push_str("<span class=\"");
        self.out.push_str(class);
        self.out.push_str("\">");
        self.reveal(text);
        self.out.push_str("</span>");
    }
}

#[cfg(test)]
mod complete;
#[cfg(test)]
mod tests;
