//! Errors of the agent API: a status, and a JSON object whose `error` and `message` clients of this contract read.
//!
//! `error` is the status in words; `message` is a sentence for a person: what happened and what to do. Validation
//! errors list `issues` with the path of the field; conflicts carry `current_status`.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};

use crate::domain::action::Status;
use crate::domain::text::FieldError;
use crate::server::error::ServiceError;
use crate::server::service::CallerError;

/// An error on its way out.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    members: Map<String, Value>,
    retry_after_secs: Option<u32>,
}

impl Problem {
    /// A problem with a sentence for a person.
    pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let mut members = Map::new();
        members.insert("error".into(), status.canonical_reason().unwrap_or("Error").into());
        members.insert("message".into(), message.into().into());
        Self { status, members, retry_after_secs: None }
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.members.insert(key.to_owned(), value.into());
        self
    }

    /// The sentence for a person.
    pub fn message(&self) -> &str {
        self.members.get("message").and_then(Value::as_str).unwrap_or_default()
    }

    /// Fields that break a rule.
    pub fn invalid(errors: &[FieldError]) -> Self {
        let sentences: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let issues: Vec<Value> = errors.iter().map(issue).collect();
        Self::new(StatusCode::BAD_REQUEST, sentences.join(" ")).with("issues", issues)
    }
}

fn issue(error: &FieldError) -> Value {
    let path: Vec<&str> = error.field.split('.').collect();
    let mut issue = json!({"code": error.code, "path": path, "message": error.message});
    for (key, value) in [("limit", error.limit), ("sent", error.sent)] {
        if let (Some(value), Some(members)) = (value, issue.as_object_mut()) {
            members.insert(key.into(), value.into());
        }
    }
    issue
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Value::Object(self.members))).into_response();
        if let Some(secs) = self.retry_after_secs {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(secs));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"impri\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

fn conflict(message: String, current: Status) -> Problem {
    Problem::new(StatusCode::CONFLICT, message).with("current_status", current.as_str())
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        error.log();
        match error {
            ServiceError::NotFound => Self::new(
                StatusCode::NOT_FOUND,
                "There is nothing with this id in the key's project. Check the id and which key is used.",
            ),
            ServiceError::Invalid(errors) => Self::invalid(&errors),
            ServiceError::NotPending { status, winner: Some(winner) } => {
                let at = winner.at.unix_timestamp();
                let message =
                    format!("Already decided by {} ({}). Nothing was changed.", winner.name, status.as_str());
                conflict(message, status).with("decided_by", winner.name).with("decided_at", at)
            }
            ServiceError::NotPending { status, winner: None } => {
                conflict(format!("The action is {} and can't be decided any more.", status.as_str()), status)
            }
            ServiceError::StaleContent => Self::new(
                StatusCode::CONFLICT,
                "content_sha256 is not the digest of this action's content. Read the action again before deciding.",
            ),
            ServiceError::SelfApproval => Self::new(
                StatusCode::FORBIDDEN,
                "This key proposed the action, and nothing decides what it proposed itself. Decide with another key or in \
                 the inbox; for a one-person set-up see impri project set allow-self-approval on.",
            ),
            ServiceError::NotEditable { paths, editable } => {
                let may = if editable.is_empty() { "nothing".to_owned() } else { editable.join(", ") };
                let message =
                    format!("{} can't be edited; this action allows editing {may}.", paths.join(", "));
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
                    .with("invalid_keys", paths)
                    .with("editable", editable)
            }
            ServiceError::NotApproved(status) => conflict(
                format!(
                    "The action is {}, and only an approved one can be run and reported.",
                    status.as_str()
                ),
                status,
            ),
            ServiceError::AlreadyClaimed { at } => {
                let message =
                    "Somebody claimed this approval before, and it is good for one run. Don't run it again.";
                conflict(message.to_owned(), Status::Approved).with("claimed_at", at.unix_timestamp())
            }
            ServiceError::Overdue { until } => {
                let message = "This approval is too old to be run. Propose the action again.";
                Self::new(StatusCode::GONE, message).with("valid_until", until.unix_timestamp())
            }
            ServiceError::NotTheProposer => Self::new(
                StatusCode::FORBIDDEN,
                "Only the key that proposed the action can withdraw it, or an admin key.",
            ),
            ServiceError::AlreadyReported(status) => conflict(
                format!("Another result was reported before: {}. It stays as it is.", status.as_str()),
                status,
            ),
            ServiceError::KeyReused { fields } => {
                let message = format!(
                    "This idempotency_key named another proposal before; these fields differ: {}. Use a new key for a \
                     new proposal.",
                    fields.join(", ")
                );
                Self::new(StatusCode::CONFLICT, message).with("fields", fields)
            }
            ServiceError::EndpointTaken => Self::new(
                StatusCode::CONFLICT,
                "This endpoint is registered already, and not for this key. Have the browser end its subscription and \
                 subscribe anew.",
            ),
            ServiceError::LastAdmin => Self::new(
                StatusCode::CONFLICT,
                "This is the last key with the scope admin, and no person with the role admin can sign in. Nothing was \
                 revoked; make another admin key first, so that nobody is locked out.",
            ),
            ServiceError::Throttled { retry_after_secs } => Self {
                retry_after_secs: Some(retry_after_secs),
                ..Self::new(StatusCode::TOO_MANY_REQUESTS, "Too many requests. Wait and try again.")
                    .with("retry_after", retry_after_secs)
            },
            ServiceError::Forbidden(role) => Self::new(
                StatusCode::FORBIDDEN,
                format!("This needs a person with the role {}.", role.as_str()),
            ),
            ServiceError::KeyRevoked => CallerError::Invalid.into(),
            ServiceError::WrongCredentials
            | ServiceError::WrongPassword
            | ServiceError::OwnAccount
            | ServiceError::InviteClosed
            | ServiceError::SetupClosed => Self::new(StatusCode::FORBIDDEN, "This is not open to API keys."),
            ServiceError::Unavailable(_) => Self {
                retry_after_secs: Some(1),
                ..Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "The server can't reach its database. Nothing was changed; try again in a moment.",
                )
            },
            ServiceError::SecretLost(lost) => Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                format!(
                    "This server can't open {}, so nothing was decided or changed. Its log says what to do, and so does \
                     impri secrets status.",
                    lost.what.name()
                ),
            ),
            ServiceError::Internal(_) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "Something went wrong in the server and is in its log under this answer's X-Request-Id.",
            ),
        }
    }
}

impl From<CallerError> for Problem {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::Missing => Self::new(
                StatusCode::UNAUTHORIZED,
                "No API key was sent. Send it as the header Authorization: Bearer im_…",
            ),
            CallerError::Invalid => Self::new(
                StatusCode::UNAUTHORIZED,
                "This API key is not valid: unknown, revoked or expired. Make a new one with impri keys create.",
            ),
            CallerError::Scope { needed, held } => {
                let needed: Vec<&str> = needed.iter().map(|scope| scope.as_str()).collect();
                let held: Vec<&str> = held.iter().map(crate::domain::scope::Scope::as_str).collect();
                let message = format!(
                    "This needs a key with the scope {}; this key has {}.",
                    needed.join(" or "),
                    held.join(", ")
                );
                Self::new(StatusCode::FORBIDDEN, message).with("required_scopes", needed)
            }
            CallerError::Service(error) => error.into(),
        }
    }
}
