//! The lines of a sealed export: one JSON object each.

use std::io::BufRead;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Finding;
use crate::domain::ids::ProjectId;
use crate::domain::seal::Sha256Digest;

/// The format's name and version.
pub const FORMAT: &str = "impri-audit-1";

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// The first one: what the file says about itself. Nothing in it proves anything.
    Export(Head),
    /// An event with its place in the chain.
    Event(Box<EventLine>),
    /// What was signed when the chain ended with the event before.
    Checkpoint(CheckpointLine),
}

/// What an export says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// [`FORMAT`].
    pub format: String,
    /// Whose history.
    pub project: ProjectId,
    /// When it was written.
    pub exported_at: String,
    /// From when on was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Until when was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// The place of the first event in the file.
    pub first: i64,
    /// The place of the last one; one before the first if there is none.
    pub last: i64,
}

/// An event with its place in the chain. Every member is covered by the chain, or by another member that is, so that
/// nothing can be slipped in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventLine {
    /// Its place: 1, 2, 3, …
    pub seq: i64,
    /// What the digest is over; absent if the event is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Value>,
    /// The particulars that an erasure takes away, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erasable: Option<Value>,
    /// … and the salt of their digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
    /// That they were erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased: Option<Erasure>,
    /// SHA-256 of the event.
    pub digest: Sha256Digest,
    /// The hash of the place before.
    pub previous: Sha256Digest,
    /// When it was sealed.
    pub sealed_at: String,
    /// SHA-256 of all that.
    pub hash: Sha256Digest,
}

/// When and by whom particulars were erased, as the history itself records it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erasure {
    /// When.
    pub at: String,
    /// By whom; absent if no event records it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The place of the event that records it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<i64>,
}

/// A signed checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointLine {
    /// A compact JWS.
    pub jws: String,
}

impl Line {
    /// A checkpoint's.
    pub fn checkpoint(jws: String) -> Self {
        Self::Checkpoint(CheckpointLine { jws })
    }

    /// The line's text, with its end.
    ///
    /// # Errors
    /// Never: all of it is JSON.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }
}

/// Reads a file line by line, handing each on. Empty lines are passed over.
///
/// # Errors
/// If it can't be read, or a line is none.
pub fn read_lines(file: impl BufRead, mut take: impl FnMut(Line)) -> Result<(), Finding> {
    for (index, text) in file.lines().enumerate() {
        let number = index + 1;
        let text = text.map_err(|error| Finding::Unreadable { line: number, why: error.to_string() })?;
        if !text.trim().is_empty() {
            let line = serde_json::from_str(&text);
            take(line.map_err(|error| Finding::Unreadable { line: number, why: error.to_string() })?);
        }
    }
    Ok(())
}
