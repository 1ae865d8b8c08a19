//! Which parts of an action a decider may change, and what a change may be.
//!
//! The invariant: an edit never changes a value's JSON type, never adds or removes a member, and touches only paths
//! that the agent listed. The original content is never overwritten; the approved version is computed from it.

use serde_json::{Map, Value};

use super::content::Content;
use super::payload::{self, type_name};
use super::text::{FieldError, Title, parse_body};

/// Most paths that an action may list.
pub const EDITABLE_MAX: usize = 50;

/// One part of an action that a decider may change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum EditablePath {
    /// The preview's text.
    Body,
    /// The title.
    Title,
    /// A value inside the payload: object keys and array indexes from the outside in, never empty.
    Payload(Vec<String>),
}

impl EditablePath {
    /// Reads `preview.body`, `title` or `payload.<key>…`.
    ///
    /// # Errors
    /// Says which paths exist.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        match text {
            "preview.body" => return Ok(Self::Body),
            "title" => return Ok(Self::Title),
            _ => {}
        }
        let segments: Vec<String> = match text.strip_prefix("payload.") {
            Some(rest) => rest.split('.').map(str::to_owned).collect(),
            None => Vec::new(),
        };
        match segments.is_empty() || segments.iter().any(String::is_empty) || text.len() > 500 {
            true => Err(FieldError::invalid(
                "editable",
                format!(
                    "{text:?} is not a path: use preview.body, title or payload.<key>, nested with dots."
                ),
            )),
            false => Ok(Self::Payload(segments)),
        }
    }

    /// Whether a change of one could be undone by a change of the other.
    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Payload(a), Self::Payload(b)) => a.starts_with(b) || b.starts_with(a),
            _ => self == other,
        }
    }

    /// The value there, as JSON; `None` if the content has none.
    pub fn get(&self, content: &Content) -> Option<Value> {
        match self {
            Self::Body => Some(Value::String(content.preview.body.clone())),
            Self::Title => Some(Value::String(content.title.as_str().to_owned())),
            Self::Payload(segments) => segments
                .iter()
                .try_fold(content.payload.as_ref()?, |value, segment| step(value, segment))
                .cloned(),
        }
    }

    /// Puts a checked value there. A payload path that does not exist changes nothing.
    fn set(&self, content: &mut Content, value: &Value) -> Result<(), FieldError> {
        match self {
            Self::Body => content.preview.body = parse_body(text_of(value))?,
            Self::Title => content.title = Title::parse(text_of(value))?,
            Self::Payload(segments) => {
                let place = content.payload.as_mut().and_then(|payload| {
                    segments.iter().try_fold(payload, |value, segment| step_mut(value, segment))
                });
                if let Some(place) = place {
                    *place = value.clone();
                }
            }
        }
        Ok(())
    }
}

impl std::fmt::Display for EditablePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Body => f.write_str("preview.body"),
            Self::Title => f.write_str("title"),
            Self::Payload(segments) => write!(f, "payload.{}", segments.join(".")),
        }
    }
}

fn step<'a>(value: &'a Value, segment: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(segment),
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        _ => None,
    }
}

fn step_mut<'a>(value: &'a mut Value, segment: &str) -> Option<&'a mut Value> {
    match value {
        Value::Object(members) => members.get_mut(segment),
        Value::Array(items) => items.get_mut(segment.parse::<usize>().ok()?),
        _ => None,
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Checks the paths that an agent lists against the content that it proposes.
///
/// # Errors
/// Names the path that is malformed, doubled, inside another one, or not there.
pub fn parse_editable(paths: &[String], content: &Content) -> Result<Vec<EditablePath>, FieldError> {
    if paths.len() > EDITABLE_MAX {
        return Err(FieldError::too_long("editable", EDITABLE_MAX as u64, paths.len() as u64, "paths"));
    }
    let mut parsed: Vec<EditablePath> = Vec::with_capacity(paths.len());
    for text in paths {
        let path = EditablePath::parse(text)?;
        if path.get(content).is_none() {
            return Err(FieldError::invalid(
                "editable",
                format!(
                    "{text} does not exist in what you sent, so there is nothing to edit. Send a value there or leave the path out."
                ),
            ));
        }
        if let Some(other) = parsed.iter().find(|other| other.overlaps(&path)) {
            return Err(FieldError::invalid(
                "editable",
                format!("{text} overlaps {other}. List only one of them."),
            ));
        }
        parsed.push(path);
    }
    Ok(parsed)
}

/// One change that a decider made.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// Where.
    pub path: EditablePath,
    /// The value that was approved there.
    pub value: Value,
}

/// Why a set of edits was refused.
#[derive(Debug, Clone, PartialEq)]
pub enum EditRefusal {
    /// Paths that the action does not list as editable.
    NotEditable(Vec<String>),
    /// A value of the wrong type or over a limit.
    Invalid(FieldError),
}

/// Turns what a decider sent into edits of `content`; what equals the original is no edit.
///
/// # Errors
/// Refuses paths that are not listed, another JSON type than the original's, and values over a limit.
pub fn check_edits(
    content: &Content,
    editable: &[EditablePath],
    sent: &Map<String, Value>,
) -> Result<Vec<Edit>, EditRefusal> {
    let known = |text: &String| editable.iter().any(|path| path.to_string() == *text);
    let strangers: Vec<String> = sent.keys().filter(|text| !known(text)).cloned().collect();
    if !strangers.is_empty() {
        return Err(EditRefusal::NotEditable(strangers));
    }
    let mut edits = Vec::new();
    // In the order of the action's own list, so that the same edits always read the same.
    for path in editable {
        let (Some(value), Some(original)) = (sent.get(&path.to_string()), path.get(content)) else {
            continue;
        };
        if *value == original {
            continue;
        }
        if type_name(value) != type_name(&original) {
            return Err(EditRefusal::Invalid(FieldError::invalid(
                path.to_string(),
                format!("must stay {}; {} was sent.", type_name(&original), type_name(value)),
            )));
        }
        edits.push(Edit { path: path.clone(), value: value.clone() });
    }
    // Limits apply to the result as a whole, as they did to the proposal.
    apply(content, &edits).map_err(EditRefusal::Invalid)?;
    Ok(edits)
}

/// The content with the edits made: the approved version.
///
/// # Errors
/// Names a limit that the result breaks; edits that came from [`check_edits`] break none.
pub fn apply(content: &Content, edits: &[Edit]) -> Result<Content, FieldError> {
    let mut edited = content.clone();
    for edit in edits {
        edit.path.set(&mut edited, &edit.value)?;
    }
    if let Some(value) = edited.payload.as_ref().filter(|_| !edits.is_empty()) {
        payload::check("payload", value)?;
    }
    Ok(edited)
}

#[cfg(test)]
mod tests;
