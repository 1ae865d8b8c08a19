//! The words that some texts are of, for the API's description. The domain spells them; a test holds both together.

use serde::Serialize;
use utoipa::ToSchema;

/// Where an action is in its life.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Waits for a person.
    Pending,
    /// May be run.
    Approved,
    /// May not be run.
    Rejected,
    /// Nobody decided in time.
    Expired,
    /// Withdrawn by the agent.
    Cancelled,
    /// Ran.
    Executed,
    /// Was tried and failed.
    ExecuteFailed,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// May be run.
    Approve,
    /// May not be run.
    Reject,
}

/// How a preview is read. `text` is another name for `plain` in proposals.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewFormat {
    /// Sanitised Markdown.
    Markdown,
    /// Exactly as it is.
    Plain,
    /// The same as plain, in proposals only.
    Text,
    /// A unified diff.
    Diff,
}

/// How running it went.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultStatus {
    /// It worked.
    Executed,
    /// It did not.
    ExecuteFailed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{action, content, decision};

    #[test]
    fn the_description_has_the_domains_words() {
        let text = |word: serde_json::Value| word.as_str().expect("a text").to_owned();
        let statuses = [
            Status::Pending,
            Status::Approved,
            Status::Rejected,
            Status::Expired,
            Status::Cancelled,
            Status::Executed,
            Status::ExecuteFailed,
        ];
        let described: Vec<String> = statuses.map(|word| text(serde_json::json!(word))).to_vec();
        assert_eq!(described, action::Status::ALL.map(action::Status::as_str));
        for verdict in [Verdict::Approve, Verdict::Reject] {
            assert!(decision::Verdict::from_text(&text(serde_json::json!(verdict))).is_some());
        }
        for format in [PreviewFormat::Markdown, PreviewFormat::Plain, PreviewFormat::Diff] {
            assert!(content::PreviewFormat::from_text(&text(serde_json::json!(format))).is_some());
        }
    }
}
