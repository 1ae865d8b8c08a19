//! A proposal: what an agent asks for, checked whole before anything is stored.

use serde_json::Value;

use super::content::{Content, Preview, PreviewFormat};
use super::editable::{EditablePath, parse_editable};
use super::payload;
use super::text::{FieldError, Kind, Title, Undo, parse_body};

/// Shortest time that a proposal may wait, in seconds.
pub const EXPIRES_IN_MIN: u64 = 300;
/// Longest time that a proposal may wait: 30 days, in seconds.
pub const EXPIRES_IN_MAX: u64 = 2_592_000;
/// How long a proposal waits if it says nothing: 72 hours, in seconds.
pub const EXPIRES_IN_DEFAULT: u64 = 259_200;
/// Longest idempotency key, in characters.
const IDEMPOTENCY_KEY_MAX: u64 = 255;
/// Longest address, in characters.
const URL_MAX: u64 = 4_096;

/// A proposal as it came in: the right JSON types, nothing checked yet.
#[derive(Debug, Clone, Default)]
pub struct RawProposal {
    /// `kind`.
    pub kind: Option<String>,
    /// `title`.
    pub title: Option<String>,
    /// `preview.format`; plain if absent.
    pub format: Option<String>,
    /// `preview.body`.
    pub body: Option<String>,
    /// `payload`.
    pub payload: Option<Value>,
    /// `target_url`.
    pub target_url: Option<String>,
    /// `callback_url`.
    pub callback_url: Option<String>,
    /// `expires_in`, in seconds.
    pub expires_in: Option<i64>,
    /// `valid_for`, in seconds after approval.
    pub valid_for: Option<i64>,
    /// `idempotency_key`, from the body or the header.
    pub idempotency_key: Option<String>,
    /// `editable`.
    pub editable: Vec<String>,
    /// `idempotent`.
    pub idempotent: Option<bool>,
    /// `undo`.
    pub undo: Option<String>,
}

/// A proposal that keeps every limit.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// What is asked for.
    pub content: Content,
    /// What a decider may change.
    pub editable: Vec<EditablePath>,
    /// Whether running it twice is the same as running it once.
    pub idempotent: Option<bool>,
    /// How it could be walked back.
    pub undo: Option<Undo>,
    /// Where to send the decision.
    pub callback_url: Option<String>,
    /// The agent's name for this proposal, so that a retry is recognised.
    pub idempotency_key: Option<String>,
    /// How long it waits for a decision, in seconds.
    pub expires_in_secs: u32,
    /// How long after approval it may be claimed, in seconds.
    pub valid_for_secs: Option<u32>,
}

/// Checks a proposal. `is_http_url` says whether a text is an absolute http or https address.
///
/// # Errors
/// Every field that breaks a rule, with its limit and the fix; nothing of the proposal is to be kept then.
pub fn check(raw: RawProposal, is_http_url: impl Fn(&str) -> bool) -> Result<Proposal, Vec<FieldError>> {
    let mut errors = Vec::new();
    let mut keep = |error: FieldError| errors.push(error);

    let kind = required("kind", raw.kind).and_then(Kind::parse).map_err(&mut keep).ok();
    let title = required("title", raw.title).and_then(Title::parse).map_err(&mut keep).ok();
    let format = read_format(raw.format.as_deref()).map_err(&mut keep).ok();
    let body = required("preview.body", raw.body).and_then(parse_body).map_err(&mut keep).ok();
    if let Some(value) = &raw.payload {
        payload::check("payload", value).map_err(&mut keep).ok();
    }
    for (field, value) in [("target_url", &raw.target_url), ("callback_url", &raw.callback_url)] {
        check_url(field, value.as_deref(), &is_http_url).map_err(&mut keep).ok();
    }
    let expires_in_secs =
        seconds("expires_in", raw.expires_in.unwrap_or(EXPIRES_IN_DEFAULT.cast_signed()), EXPIRES_IN_MIN)
            .map_err(&mut keep)
            .ok();
    let valid_for_secs =
        raw.valid_for.map(|secs| seconds("valid_for", secs, 1)).transpose().map_err(&mut keep).ok();
    check_idempotency_key(raw.idempotency_key.as_deref()).map_err(&mut keep).ok();
    let undo = raw.undo.map(Undo::parse).transpose().map_err(&mut keep).ok();

    let (Some(kind), Some(title), Some(format), Some(body)) = (kind, title, format, body) else {
        return Err(errors);
    };
    let content = Content {
        kind,
        title,
        preview: Preview { format, body },
        payload: raw.payload,
        target_url: raw.target_url,
    };
    let editable = parse_editable(&raw.editable, &content).map_err(|error| errors.push(error)).ok();
    match (editable, expires_in_secs, valid_for_secs, undo, errors.is_empty()) {
        (Some(editable), Some(expires_in_secs), Some(valid_for_secs), Some(undo), true) => Ok(Proposal {
            content,
            editable,
            idempotent: raw.idempotent,
            undo: undo.filter(|undo| !undo.as_str().is_empty()),
            callback_url: raw.callback_url,
            idempotency_key: raw.idempotency_key,
            expires_in_secs,
            valid_for_secs,
        }),
        _ => Err(errors),
    }
}

fn required(field: &str, value: Option<String>) -> Result<String, FieldError> {
    value.ok_or_else(|| FieldError::required(field, "is required and was not sent."))
}

fn read_format(text: Option<&str>) -> Result<PreviewFormat, FieldError> {
    let Some(text) = text else { return Ok(PreviewFormat::Plain) };
    PreviewFormat::from_text(text).ok_or_else(|| {
        FieldError::invalid("preview.format", format!("must be markdown, plain or diff; {text:?} was sent."))
    })
}

fn check_url(field: &str, value: Option<&str>, is_http_url: impl Fn(&str) -> bool) -> Result<(), FieldError> {
    let Some(text) = value else { return Ok(()) };
    let sent = text.chars().count() as u64;
    if sent > URL_MAX {
        return Err(FieldError::too_long(field, URL_MAX, sent, "characters"));
    }
    match is_http_url(text) && !text.contains(|c: char| c.is_control() || c.is_whitespace()) {
        true => Ok(()),
        false => Err(FieldError::invalid(
            field,
            "must be an absolute address that starts with http:// or https://.",
        )),
    }
}

fn seconds(field: &str, sent: i64, min: u64) -> Result<u32, FieldError> {
    let whole = u64::try_from(sent).ok().filter(|secs| (min..=EXPIRES_IN_MAX).contains(secs));
    whole.and_then(|secs| u32::try_from(secs).ok()).ok_or_else(|| FieldError {
        field: field.to_owned(),
        code: "invalid",
        message: format!("must be between {min} and {EXPIRES_IN_MAX} seconds; {sent} was sent."),
        limit: Some(if sent < min.cast_signed() { min } else { EXPIRES_IN_MAX }),
        sent: u64::try_from(sent).ok(),
    })
}

fn check_idempotency_key(key: Option<&str>) -> Result<(), FieldError> {
    let Some(key) = key else { return Ok(()) };
    let sent = key.chars().count() as u64;
    if sent == 0 {
        return Err(FieldError::required("idempotency_key", "must not be empty; leave it out instead."));
    }
    if sent > IDEMPOTENCY_KEY_MAX {
        return Err(FieldError::too_long("idempotency_key", IDEMPOTENCY_KEY_MAX, sent, "characters"));
    }
    match key.contains(char::is_control) {
        true => Err(FieldError::invalid("idempotency_key", "must not hold control characters.")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn raw() -> RawProposal {
        RawProposal {
            kind: Some("email.send".into()),
            title: Some("Outreach".into()),
            body: Some("Hi".into()),
            ..RawProposal::default()
        }
    }

    fn check_raw(raw: RawProposal) -> Result<Proposal, Vec<FieldError>> {
        check(raw, |url| url.starts_with("https://"))
    }

    #[test]
    fn defaults_are_those_of_the_contract() {
        let proposal = check_raw(raw()).unwrap();
        assert_eq!(proposal.content.preview.format, PreviewFormat::Plain);
        assert_eq!(proposal.expires_in_secs, 259_200);
        assert!(proposal.editable.is_empty() && proposal.idempotent.is_none());
    }

    #[test]
    fn every_broken_field_is_named_at_once() {
        let errors = check_raw(RawProposal {
            kind: None,
            title: Some("x".repeat(501)),
            format: Some("html".into()),
            payload: Some(json!(9_007_199_254_740_993_i64)),
            target_url: Some("javascript:alert(1)".into()),
            expires_in: Some(299),
            valid_for: Some(0),
            idempotency_key: Some(String::new()),
            undo: Some("x".repeat(2001)),
            ..raw()
        })
        .unwrap_err();
        let fields: Vec<&str> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "kind",
                "title",
                "preview.format",
                "payload",
                "target_url",
                "expires_in",
                "valid_for",
                "idempotency_key",
                "undo"
            ]
        );
    }

    #[test]
    fn times_keep_their_bounds() {
        for (secs, good) in
            [(299, false), (300, true), (2_592_000, true), (2_592_001, false), (-1, false), (i64::MAX, false)]
        {
            assert_eq!(check_raw(RawProposal { expires_in: Some(secs), ..raw() }).is_ok(), good, "{secs}");
        }
    }
}
