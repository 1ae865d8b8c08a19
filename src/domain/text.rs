//! Texts with limits, parsed once at the edge: whoever holds a [`Title`] holds a valid one.
//!
//! Limits count Unicode characters unless the name says bytes.

use serde::Serialize;

/// One thing that is wrong with the input: which field, what the rule is, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{field}: {message}")]
pub struct FieldError {
    /// The field as the caller names it, nested with dots (`preview.body`).
    pub field: String,
    /// A short stable code: `required`, `too_long`, `too_short`, `invalid`, `too_large`, `not_editable`.
    pub code: &'static str,
    /// A sentence with the limit, what was sent and the fix.
    pub message: String,
    /// The limit, where there is one.
    pub limit: Option<u64>,
    /// What was sent, in the unit of the limit.
    pub sent: Option<u64>,
}

impl FieldError {
    /// The value does not have the form that the field asks for.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), code: "invalid", message: message.into(), limit: None, sent: None }
    }

    /// The field is missing or empty.
    pub fn required(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), code: "required", message: message.into(), limit: None, sent: None }
    }

    /// More of something than allowed; `unit` is a plural noun.
    pub fn too_long(field: impl Into<String>, limit: u64, sent: u64, unit: &str) -> Self {
        Self {
            field: field.into(),
            code: "too_long",
            message: format!("at most {limit} {unit}; {sent} were sent. Shorten it and send again."),
            limit: Some(limit),
            sent: Some(sent),
        }
    }

    /// The same problem under another field's name.
    #[must_use]
    pub fn at(mut self, field: impl Into<String>) -> Self {
        self.field = field.into();
        self
    }
}

/// Most bytes of a preview's body.
pub const BODY_MAX_BYTES: usize = 256 * 1024;
/// Most bytes of a payload, as JSON without white space.
pub const PAYLOAD_MAX_BYTES: usize = 256 * 1024;
/// Most bytes of a result's payload.
pub const RESULT_MAX_BYTES: usize = 16 * 1024;

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}

/// Refuses what neither a line of text nor the database can hold.
pub(super) fn no_nul(field: &str, text: &str) -> Result<(), FieldError> {
    match text.contains('\0') {
        true => Err(FieldError::invalid(field, "holds a NUL character (U+0000). Remove it.")),
        false => Ok(()),
    }
}

fn one_line(field: &str, text: &str) -> Result<(), FieldError> {
    let breaks = |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    match text.contains(breaks) {
        true => Err(FieldError::invalid(field, "must be one line. Put the rest into preview.body.")),
        false => Ok(()),
    }
}

fn bounded(field: &str, text: &str, min: u64, max: u64) -> Result<(), FieldError> {
    let sent = chars(text);
    if sent < min {
        return Err(FieldError::required(field, format!("must not be empty: 1 to {max} characters.")));
    }
    if sent > max {
        return Err(FieldError::too_long(field, max, sent, "characters"));
    }
    no_nul(field, text)
}

macro_rules! parsed_text {
    ($(#[$doc:meta])* $name:ident, $field:literal, $min:literal ..= $max:literal $(, $rule:path)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        pub struct $name(String);

        impl $name {
            /// Longest allowed, in characters.
            pub const MAX: u64 = $max;

            /// Checks the text against this type's limits.
            ///
            /// # Errors
            /// Names the field, the limit and what was sent.
            pub fn parse(text: impl Into<String>) -> Result<Self, FieldError> {
                let text = text.into();
                bounded($field, &text, $min, $max)?;
                $($rule($field, &text)?;)?
                Ok(Self(text))
            }

            /// Takes a text that was parsed before it was stored.
            pub fn stored(text: String) -> Self { Self(text) }
            /// The text.
            pub fn as_str(&self) -> &str { &self.0 }
            /// The text, taken out.
            pub fn into_string(self) -> String { self.0 }
        }
    };
}

parsed_text!(
    /// What an action is, in one line.
    Title, "title", 1..=500, one_line);
parsed_text!(
    /// What sort of action it is, in the agent's own vocabulary (`email.send`, `code.execute`).
    Kind, "kind", 1..=100, one_line);
parsed_text!(
    /// How the agent says the action could be walked back.
    Undo, "undo", 0..=2000);
parsed_text!(
    /// Why the decider decided so.
    Comment, "comment", 0..=2000);
parsed_text!(
    /// A name for a key, as its owner knows it.
    KeyName, "name", 1..=100, one_line);
parsed_text!(
    /// A person's name.
    PersonName, "name", 1..=100, one_line);
parsed_text!(
    /// A project's name.
    ProjectName, "project", 1..=200, one_line);

/// An e-mail address, lower-cased, checked for shape only: the proof of an address is a mail to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Checks the shape `local@domain`.
    ///
    /// # Errors
    /// Says that it is no address.
    pub fn parse(text: &str) -> Result<Self, FieldError> {
        let text = text.trim().to_lowercase();
        bounded("email", &text, 3, 254)?;
        let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control());
        match text.split_once('@') {
            Some((local, domain))
                if plain && !local.is_empty() && !domain.is_empty() && !domain.contains('@') =>
            {
                Ok(Self(text))
            }
            _ => Err(FieldError::invalid("email", "is not an e-mail address like name@example.org.")),
        }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Checks a preview's body: at most [`BODY_MAX_BYTES`] bytes, no NUL.
///
/// # Errors
/// Names `preview.body`, the limit and what was sent.
pub fn parse_body(text: String) -> Result<String, FieldError> {
    if text.len() > BODY_MAX_BYTES {
        return Err(FieldError::too_long("preview.body", BODY_MAX_BYTES as u64, text.len() as u64, "bytes"));
    }
    no_nul("preview.body", &text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_count_characters_and_name_the_fix() {
        assert!(Title::parse("ü".repeat(500)).is_ok());
        let error = Title::parse("x".repeat(501)).unwrap_err();
        assert_eq!(
            (error.field.as_str(), error.code, error.limit, error.sent),
            ("title", "too_long", Some(500), Some(501))
        );
        assert_eq!(Title::parse("").unwrap_err().code, "required");
        assert_eq!(Kind::parse("x".repeat(101)).unwrap_err().limit, Some(100));
        assert_eq!(Undo::parse("x".repeat(2001)).unwrap_err().limit, Some(2000));
        assert!(Undo::parse("two\nlines").is_ok());
    }

    #[test]
    fn a_title_is_one_line_by_every_spelling_of_a_line_break() {
        for c in ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}', '\0'] {
            assert!(Title::parse(format!("a{c}b")).is_err(), "{c:?}");
        }
    }

    #[test]
    fn an_email_has_one_at_sign_and_no_spaces() {
        assert_eq!(Email::parse(" Ada@Example.ORG ").unwrap().as_str(), "ada@example.org");
        for text in ["", "ada", "@x.org", "ada@", "a@b@c", "a b@c.org"] {
            assert!(Email::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_body_is_limited_in_bytes() {
        assert!(parse_body("x".repeat(BODY_MAX_BYTES)).is_ok());
        assert_eq!(parse_body("ü".repeat(BODY_MAX_BYTES)).unwrap_err().sent, Some(2 * BODY_MAX_BYTES as u64));
    }
}
