//! Why a service refused or failed, and how that looks to a page.
//!
//! [`super::http::problem`] renders the same errors for the API. Nothing of an internal error reaches a caller; it is
//! logged once, here.

use crate::domain::Instant;
use crate::domain::action::{Refusal, Status};
use crate::domain::channel::rule_of;
use crate::domain::editable::EditRefusal;
use crate::domain::role::Role;
use crate::domain::text::FieldError;
use crate::server::kept::Lost;
use crate::wire::error::{EditProblem, Field, UiError};

/// Who decided before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Winner {
    /// Their name.
    pub name: String,
    /// When.
    pub at: Instant,
}

/// Why a service refused or failed. Nothing was changed in any case.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// There is no such thing in the caller's project.
    #[error("not found")]
    NotFound,
    /// Fields that break a rule.
    #[error("{} fields are wrong", .0.len())]
    Invalid(Vec<FieldError>),
    /// The action is past deciding.
    #[error("not pending")]
    NotPending {
        /// Where it is now.
        status: Status,
        /// Who decided, if somebody did.
        winner: Option<Winner>,
    },
    /// The decider was shown other content.
    #[error("stale content")]
    StaleContent,
    /// The decider proposed it.
    #[error("self-approval")]
    SelfApproval,
    /// Paths that may not be edited.
    #[error("not editable")]
    NotEditable {
        /// What was sent.
        paths: Vec<String>,
        /// What may be edited.
        editable: Vec<String>,
    },
    /// It is not approved.
    #[error("not approved")]
    NotApproved(Status),
    /// Somebody took the one permission to run it.
    #[error("already claimed")]
    AlreadyClaimed {
        /// When.
        at: Instant,
    },
    /// The approval is too old to be run.
    #[error("overdue")]
    Overdue {
        /// Until when it was good.
        until: Instant,
    },
    /// The person's role does not allow it.
    #[error("this needs the role {}", .0.as_str())]
    Forbidden(Role),
    /// Only the key that proposed it may withdraw it.
    #[error("not the proposer")]
    NotTheProposer,
    /// Another result is there already.
    #[error("already reported")]
    AlreadyReported(Status),
    /// The idempotency key names another proposal.
    #[error("idempotency key reused")]
    KeyReused {
        /// The fields that differ.
        fields: Vec<&'static str>,
    },
    /// A push service's address is registered for somebody else.
    #[error("this endpoint is taken")]
    EndpointTaken,
    /// Nobody who may do everything would be left.
    #[error(
        "this is the last way in for an administrator; make another admin key or an account with the role admin first"
    )]
    LastAdmin,
    /// The key was revoked while what it asked for was on its way.
    #[error("the key is revoked")]
    KeyRevoked,
    /// What one can't do to oneself.
    #[error("nobody changes their own role or disables themselves")]
    OwnAccount,
    /// The link that makes an account is used, withdrawn, too old or wrong.
    #[error("the invitation is closed")]
    InviteClosed,
    /// The password that was asked for again is wrong.
    #[error("wrong password")]
    WrongPassword,
    /// Address and password do not belong together, or there is no such account.
    #[error("wrong credentials")]
    WrongCredentials,
    /// Too many failures.
    #[error("throttled")]
    Throttled {
        /// Seconds until the next try counts.
        retry_after_secs: u32,
    },
    /// The set-up link is used, replaced or wrong.
    #[error("set-up is closed")]
    SetupClosed,
    /// A secret at rest that this takes can't be opened, or a new one not be sealed.
    #[error("{0}")]
    SecretLost(Lost),
    /// The database can't be reached.
    #[error("the database can't be reached")]
    Unavailable(#[source] sqlx::Error),
    /// A fault of this program or a corrupt row.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What a service says.
pub type ServiceResult<T> = Result<T, ServiceError>;

/// Whether the database could not be asked, as opposed to having answered with an error.
pub fn is_out_of_reach(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) | sqlx::Error::Tls(_) => {
            true
        }
        // Class 57P: the server is stopping or starting; class 08: the connection is lost; 53300: too many.
        sqlx::Error::Database(database) => database
            .code()
            .is_some_and(|code| code.starts_with("57P") || code.starts_with("08") || code == "53300"),
        _ => false,
    }
}

impl From<sqlx::Error> for ServiceError {
    fn from(error: sqlx::Error) -> Self {
        if is_out_of_reach(&error) { Self::Unavailable(error) } else { Self::Internal(Box::new(error)) }
    }
}

impl From<FieldError> for ServiceError {
    fn from(error: FieldError) -> Self {
        Self::Invalid(vec![error])
    }
}

impl From<Lost> for ServiceError {
    fn from(lost: Lost) -> Self {
        Self::SecretLost(lost)
    }
}

impl ServiceError {
    /// What a transition's refusal means to the caller of a service.
    pub fn refused(refusal: Refusal, editable: &[crate::domain::editable::EditablePath]) -> Self {
        match refusal {
            Refusal::NotPending(status) => Self::NotPending { status, winner: None },
            Refusal::StaleContent => Self::StaleContent,
            Refusal::SelfApproval => Self::SelfApproval,
            Refusal::Edit(EditRefusal::NotEditable(paths)) => {
                Self::NotEditable { paths, editable: editable.iter().map(ToString::to_string).collect() }
            }
            Refusal::Edit(EditRefusal::Invalid(error)) => Self::Invalid(vec![error]),
            Refusal::NotApproved(status) => Self::NotApproved(status),
            Refusal::AlreadyReported(status) => Self::AlreadyReported(status),
            Refusal::AlreadyClaimed(claim) => Self::AlreadyClaimed { at: claim.at },
            Refusal::Overdue(until) => Self::Overdue { until },
        }
    }

    /// Logs what an operator must know; call it once, where the error leaves the server.
    pub fn log(&self) {
        match self {
            Self::Unavailable(source) => tracing::warn!(error = %source, "the database can't be reached"),
            Self::SecretLost(lost) => tracing::error!("refused: {lost}"),
            Self::Internal(source) => tracing::error!(error = ?source, "internal error"),
            _ => {}
        }
    }
}

impl From<ServiceError> for UiError {
    fn from(error: ServiceError) -> Self {
        error.log();
        match error {
            ServiceError::NotFound => Self::NotFound,
            ServiceError::NotPending { status: Status::Expired, .. } => Self::Expired,
            ServiceError::NotPending { .. } => Self::AlreadyDecided,
            ServiceError::StaleContent => Self::Stale,
            ServiceError::SelfApproval => Self::SelfApproval,
            ServiceError::NotEditable { .. } => Self::NotEditable,
            ServiceError::Invalid(errors) => errors.first().map_or(Self::BadRequest, field_error),
            ServiceError::Forbidden(_) => Self::Forbidden,
            ServiceError::EndpointTaken => Self::BadField(Field::Subscription),
            ServiceError::LastAdmin => Self::LastAdmin,
            ServiceError::OwnAccount => Self::OwnAccount,
            ServiceError::InviteClosed => Self::InviteClosed,
            ServiceError::WrongPassword => Self::WrongPassword,
            ServiceError::WrongCredentials => Self::WrongCredentials,
            ServiceError::Throttled { retry_after_secs } => Self::Throttled { retry_after: retry_after_secs },
            ServiceError::SetupClosed => Self::SetupClosed,
            ServiceError::SecretLost(_) => Self::SecretLost,
            ServiceError::Unavailable(_) => Self::Unavailable,
            ServiceError::Internal(_) => Self::Internal,
            // The API's own errors; no page can cause them.
            ServiceError::NotApproved(_)
            | ServiceError::AlreadyClaimed { .. }
            | ServiceError::Overdue { .. }
            | ServiceError::NotTheProposer
            | ServiceError::KeyRevoked
            | ServiceError::AlreadyReported(_)
            | ServiceError::KeyReused { .. } => Self::BadRequest,
        }
    }
}

fn field_error(error: &FieldError) -> UiError {
    match error.field.as_str() {
        "name" => UiError::BadField(Field::Name),
        "email" if error.code == "taken" => UiError::BadField(Field::EmailTaken),
        "email" => UiError::BadField(Field::Email),
        "password" => UiError::BadField(Field::Password),
        "project" => UiError::BadField(Field::Project),
        "comment" => UiError::BadField(Field::Comment),
        "scopes" => UiError::BadField(Field::Scopes),
        "expires_in" => UiError::BadField(Field::Lifetime),
        "role" => UiError::BadField(Field::Role),
        "theme" => UiError::BadField(Field::Theme),
        "time_zone" => UiError::BadField(Field::TimeZone),
        "channel.name" => UiError::BadField(Field::ChannelName),
        "channel.type" => UiError::BadField(Field::ChannelKind),
        "digest_window_sec" => UiError::BadField(Field::Window),
        "fallback_id" => UiError::BadField(Field::Fallback),
        "secrets" => UiError::BadField(Field::Vault),
        "channel.mail_server" => UiError::BadField(Field::MailServer),
        "endpoint" | "keys.p256dh" | "keys.auth" => UiError::BadField(Field::Subscription),
        "push.test" => UiError::BadField(Field::PushTest),
        field if field.starts_with("kinds") || field.starts_with("agents") => {
            UiError::BadField(Field::Filters)
        }
        field if field.starts_with("config.") => {
            let rule = rule_of(field.trim_start_matches("config."), &error.message);
            rule.map_or(UiError::BadRequest, |rule| UiError::BadField(Field::Setting(rule)))
        }
        _ => {
            let problem = if error.code == "too_long" { EditProblem::TooLong } else { EditProblem::Invalid };
            UiError::BadEdit { index: u32::MAX, problem }
        }
    }
}
