//! The parts of Markdown that don't map to one element: links, images, code blocks, unused definitions.
//!
//! Owns what a reader is told beside them. Same rules as its parent.
use std::ops::Range;

use pulldown_cmark::LinkType;

use super::{Open, Renderer};
use crate::server::text::{
    escape::escape,
    language::Language,
    link::{Target, target},
    plain::code_html,
    sanitize::is_language,
};

impl Renderer<'_> {
    pub(super) fn start_link(
        &mut self,
        kind: LinkType,
        address: &str,
        title: &str,
        id: &str,
        is_image: bool,
    ) {
        if !id.is_empty() {
            self.used.insert(id.to_lowercase());
        }
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
        self.open.push(Open { address, title: title.to_owned(), text: String::new(), is_image });
    }

    /// Ends a link with where it leads, or writes the image that was gathered.
    pub(super) fn end_link(&mut self) {
        let Some(Open { address, title, text, is_image }) = self.open.pop() else { return };
        if self.in_image() {
            // Its text is part of the outer image's text already; its address would be lost.
            return self.text(&format!(" ({address}{})", quoted(&title)));
        }
        if is_image {
            let alt = if text.trim().is_empty() { String::new() } else { format!("{} — ", text.trim()) };
            let label = format!("[image: {alt}{address}{}]", quoted(&title));
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
        if !title.is_empty() {
            self.span("link-title", &quoted(&title));
        }
    }

    pub(super) fn start_code(&mut self, info: &str) {
        let name = info.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        // What a fence says beyond the language would be seen by nobody.
        if !info.is_empty() && !is_language(&info.to_ascii_lowercase()) {
            self.out.push_str("<p class=\"code-info\">");
            self.reveal(info);
            self.out.push_str("</p>");
        }
        self.out.push_str("<pre class=\"code\"><code");
        if is_language(&name) {
            self.out.push_str(" class=\"language-");
            self.out.push_str(&name);
            self.out.push('"');
        }
        self.out.push('>');
        self.code = Some((Language::from_fence(&name), String::new()));
    }

    pub(super) fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        self.tally.add(&self.revealer, &code);
        code_html(&self.revealer, language, &code, &mut self.out);
        self.out.push_str("</code></pre>\n");
    }

    /// Shows the definitions (`[name]: address "title"`) that no link uses: a known way to hide a comment.
    pub(super) fn unused(&mut self, mut definitions: Vec<(String, Range<usize>)>) {
        definitions.retain(|(label, _)| !self.used.contains(label));
        definitions.sort_by_key(|(_, span)| span.start);
        let source = self.source;
        for (_, span) in definitions {
            self.out.push_str("<p class=\"md-unused\">");
            self.reveal(source.get(span).unwrap_or_default().trim());
            self.out.push_str("</p>\n");
        }
    }
}

fn quoted(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!(" “{title}”") }
}
