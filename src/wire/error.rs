//! Why the server refused what a page asked for.
//!
//! A closed list without free text: after a plain form post the error travels through the address bar, which anyone
//! can write.

use leptos::prelude::{FromServerFnError, ServerFnErrorErr};
use leptos::server_fn::codec::JsonEncoding;
use serde::{Deserialize, Serialize};

pub use super::field::Field;
use super::typed::MAX_MIB;

/// Why a page's request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum UiError {
    /// There is no session.
    #[error("You are signed out. Sign in and try again; nothing was changed.")]
    SignedOut,
    /// Not with this role.
    #[error("Your role does not allow that. Nothing was changed.")]
    Forbidden,
    /// Nobody would be left to manage the project.
    #[error(
        "Nobody would be left to manage keys and people. Nothing was changed; make somebody else an administrator first."
    )]
    LastAdmin,
    /// One's own role and account are others' to change.
    #[error("That is your own account. Nothing was changed; another administrator can do it.")]
    OwnAccount,
    /// The link that makes an account is used, withdrawn, too old or wrong.
    #[error(
        "This invitation can't be used: it was used before, was withdrawn or is too old. Ask for a new link."
    )]
    InviteClosed,
    /// The password that was asked for again is wrong.
    #[error("Your current password is not that one. Nothing was changed.")]
    WrongPassword,
    /// No such thing in this project.
    #[error("There is nothing here with that address.")]
    NotFound,
    /// Somebody or something decided first; the card says who.
    #[error("This was already decided. Nothing was changed; the card shows by whom.")]
    AlreadyDecided,
    /// Its time is over.
    #[error("The time to decide is over. Nothing was approved.")]
    Expired,
    /// The form was made for other content.
    #[error("The content is not what this page showed. Nothing was approved; read it again.")]
    Stale,
    /// Each run has its own effect, or it was edited: that takes a second look.
    #[error("This takes a second look before it is approved. Nothing was approved yet; press Approve again.")]
    Unsure,
    /// Proposed by the decider.
    #[error("You proposed this yourself, and this project does not allow deciding one's own proposals.")]
    SelfApproval,
    /// An edit that the action does not allow.
    #[error("That part may not be edited. Nothing was approved.")]
    NotEditable,
    /// The value at this place of the action's editable list has the wrong type or is too large.
    #[error("A changed value does not fit. Nothing was approved.")]
    BadEdit {
        /// Index in the action's list of editable parts; `u32::MAX` if none in particular.
        index: u32,
        /// What is wrong.
        problem: EditProblem,
    },
    /// A field of another form is wrong.
    #[error("{} Nothing was saved.", .0.rule())]
    BadField(Field),
    /// A form was too long to come back with what was typed into it.
    #[error(
        "What you typed is lost: the form was longer than the {MAX_MIB} MiB that are kept. Nothing was decided or saved; type it again, shorter."
    )]
    TooMuch,
    /// What was typed is not about the action that it was sent to.
    #[error(
        "What was typed was for another action, so it is not filled in here. Nothing was decided; to use it, go back to that action's card."
    )]
    OtherAction,
    /// The address and password do not belong together.
    #[error("E-mail or password is wrong.")]
    WrongCredentials,
    /// Too many wrong passwords.
    #[error("Too many failed sign-ins. Try again in a few minutes.")]
    Throttled {
        /// Seconds until the next try counts.
        retry_after: u32,
    },
    /// The set-up link is used, replaced or wrong.
    #[error("This set-up link is not valid any more. The newest one is in the server's log.")]
    SetupClosed,
    /// The request did not have the form that the server expects.
    #[error("The request was not understood. Reload the page and try again; nothing was changed.")]
    BadRequest,
    /// The server can't open a secret of its own, most likely the key that signs decisions.
    #[error(
        "The server can't open a secret that this takes. Nothing was approved; whoever runs it finds what to do in its log."
    )]
    SecretLost,
    /// The database can't be reached.
    #[error("The server can't reach its database. Nothing was changed; try again in a moment.")]
    Unavailable,
    /// A fault of the server.
    #[error("Something went wrong in the server. Nothing was approved; the log has the details.")]
    Internal,
    /// The server can't be reached.
    #[error(
        "The server can't be reached, so it is not known whether it heard this. Check the connection and look at the card again."
    )]
    Offline,
}

/// Why an edited value was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EditProblem {
    /// Not a number.
    NotANumber,
    /// Not JSON.
    NotJson,
    /// Another JSON type than the proposed value's.
    OtherType,
    /// Over a limit.
    TooLong,
    /// Empty or otherwise not allowed there.
    Invalid,
}

impl EditProblem {
    /// What is wrong, as the end of a sentence about the value.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotANumber => "is not a number",
            Self::NotJson => "is not valid JSON",
            Self::OtherType => "has another type than the proposed value",
            Self::TooLong => "is too long",
            Self::Invalid => "is empty or not allowed there",
        }
    }
}

impl UiError {
    /// A short stable word for the address bar (`?refused=stale`).
    pub fn code(&self) -> &'static str {
        match self {
            Self::SignedOut => "signed-out",
            Self::Forbidden => "forbidden",
            Self::LastAdmin => "last-admin",
            Self::OwnAccount => "own-account",
            Self::InviteClosed => "invite-closed",
            Self::WrongPassword => "wrong-password",
            Self::NotFound => "not-found",
            Self::AlreadyDecided => "already-decided",
            Self::Expired => "expired",
            Self::Stale => "stale",
            Self::Unsure => "unsure",
            Self::SelfApproval => "self-approval",
            Self::NotEditable => "not-editable",
            Self::BadEdit { .. } => "bad-edit",
            Self::BadField(field) => field.code(),
            Self::TooMuch => "too-much",
            Self::OtherAction => "other-action",
            Self::WrongCredentials => "wrong-credentials",
            Self::Throttled { .. } => "throttled",
            Self::SetupClosed => "setup-closed",
            Self::BadRequest => "bad-request",
            Self::SecretLost => "secret-lost",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
            Self::Offline => "offline",
        }
    }

    /// The error that a code in the address bar stands for.
    pub fn from_code(code: &str) -> Option<Self> {
        let invalid = Self::BadEdit { index: u32::MAX, problem: EditProblem::Invalid };
        let fields = Field::ALL.map(Self::BadField);
        [
            Self::SignedOut,
            Self::Forbidden,
            Self::LastAdmin,
            Self::OwnAccount,
            Self::InviteClosed,
            Self::WrongPassword,
            Self::NotFound,
            Self::AlreadyDecided,
            Self::Expired,
            Self::Stale,
            Self::Unsure,
            Self::SelfApproval,
            Self::NotEditable,
            invalid,
            Self::TooMuch,
            Self::OtherAction,
            Self::WrongCredentials,
            Self::Throttled { retry_after: 60 },
            Self::SetupClosed,
            Self::BadRequest,
            Self::SecretLost,
            Self::Unavailable,
            Self::Internal,
            Self::Offline,
        ]
        .into_iter()
        .chain(fields)
        .find(|error| error.code() == code)
    }
}

impl FromServerFnError for UiError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(value: ServerFnErrorErr) -> Self {
        // The framework's texts name internals; only the class of the error is passed on.
        match value {
            ServerFnErrorErr::Request(_) => Self::Offline,
            ServerFnErrorErr::Args(_)
            | ServerFnErrorErr::MissingArg(_)
            | ServerFnErrorErr::Deserialization(_) => Self::BadRequest,
            _ => Self::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for error in [
            UiError::Stale,
            UiError::AlreadyDecided,
            UiError::Throttled { retry_after: 60 },
            UiError::InviteClosed,
            UiError::SecretLost,
            UiError::TooMuch,
            UiError::OtherAction,
            UiError::Offline,
        ]
        .into_iter()
        .chain(Field::ALL.map(UiError::BadField))
        {
            assert_eq!(UiError::from_code(error.code()), Some(error));
        }
        assert_eq!(UiError::from_code("<script>"), None);
    }
}
