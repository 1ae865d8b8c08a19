//! Text that an agent sent, made fit to be looked at.
//!
//! Owns the way from untrusted text to [`SafeHtml`] and is the only module that makes one. It must not know
//! about actions, requests or pages. Two invariants hold for every function here: no character of the input is
//! ever markup, and a reader sees every character, because what has no look of its own (bidi controls,
//! zero-width and look-alike characters) is marked.
//!
//! Every stylesheet that shows this markup needs `white-space: pre-wrap` on `pre`, `.diff-text`, `.raw-html`
//! and `.json-string`, or line feeds would vanish after all.
mod changes;
mod diff;
mod digits;
mod escape;
mod excerpt;
mod finding;
mod highlight;
mod inspect;
mod invisible;
mod json;
mod language;
mod link;
mod lookalike;
mod markdown;
mod plain;
mod reveal;
mod sanitize;
mod signs;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod xss;

pub use changes::{changes_html, unified_diff};
pub use diff::unified_diff_html;
pub use excerpt::excerpt;
pub use finding::{Finding, FindingKind};
pub use inspect::inspect;
pub use json::{count_values, json_tree_html};
pub use language::Language;
pub use link::address_warning;
pub use lookalike::reads_like;
pub use markdown::{link_warning, markdown};
pub use plain::{code, inline, plain};
pub use reveal::{reveal_html, reveal_text};

pub use crate::domain::content::PreviewFormat;
use crate::wire::safe_html::SafeHtml;

/// A text, rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The markup.
    pub html: SafeHtml,
    /// The text did not fit its format (nested too deeply, too large, no diff) and is shown as plain text.
    pub fell_back: bool,
    /// What a reader could not have seen or would have misread, the worst first.
    pub findings: Vec<Finding>,
}

/// Renders the body of a preview in the format that its agent chose.
pub fn render_preview(format: PreviewFormat, body: &str) -> Rendered {
    match format {
        PreviewFormat::Markdown => markdown(body),
        PreviewFormat::Plain => Rendered { html: plain(body), fell_back: false, findings: inspect(body) },
        PreviewFormat::Diff => unified_diff_html(body),
    }
}
