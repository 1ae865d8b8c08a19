//! What can be wrong with a history, each as a sentence that names the first event.

use crate::domain::ids::ProjectId;

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// It is no file of ours.
    #[error("line {line} can't be read: {why}")]
    Unreadable {
        /// Which.
        line: usize,
        /// What the reader said.
        why: String,
    },
    /// It does not begin as an export does.
    #[error("it does not begin with the line of an export")]
    NoHead,
    /// It is of a format that this version does not know.
    #[error("its format is {0}, which this version does not know")]
    Format(String),
    /// An event does not have the digest that was sealed.
    #[error("{0} was changed")]
    Changed(String),
    /// An event is fine, and its link is not.
    #[error("the seal of {0} was changed")]
    SealChanged(String),
    /// Links are missing, or have no event.
    #[error("{} removed", events(*.from, *.to))]
    Removed {
        /// The first.
        from: i64,
        /// The last.
        to: i64,
    },
    /// A place is taken twice.
    #[error("{0} was inserted: the chain has another event in its place")]
    Inserted(String),
    /// An event has no seal.
    #[error("{0} was inserted behind the server's back: it has no seal")]
    Unsealed(String),
    /// An event stands elsewhere than it was sealed.
    #[error("the order was changed: {what} belongs in the place of event {belongs}")]
    Reordered {
        /// What stands elsewhere.
        what: String,
        /// Where it belongs.
        belongs: i64,
    },
    /// The chain does not go on.
    #[error("the chain breaks at {0}: there something was removed, inserted or put in another order")]
    Broken(String),
    /// A checkpoint is no checkpoint.
    #[error("the checkpoint after event {after} is not genuine: {why}")]
    Forged {
        /// Where it stands.
        after: i64,
        /// What is wrong with it.
        why: String,
    },
    /// The chain is whole, and is not the one that was signed.
    #[error(
        "the chain was written anew: it fits itself, but the checkpoint of event {to} signed another one, so that \
         something in the {} was changed, removed, inserted or put in another order",
        events_of(*.from, *.to)
    )]
    Rewritten {
        /// The first event that nothing vouches for.
        from: i64,
        /// The last.
        to: i64,
    },
    /// The end is not signed.
    #[error(
        "{} not covered by a signed checkpoint that verifies: the end is cut off, was added, or the keys are others",
        events_are(*.from, *.to)
    )]
    Uncovered {
        /// The first.
        from: i64,
        /// The last.
        to: i64,
    },
    /// The particulars are gone, and the history does not say why.
    #[error(
        "the particulars of {0} are gone, and no erasure is recorded: one that broke off has to be done again, or \
         somebody removed them"
    )]
    ErasedUnrecorded(String),
    /// What is said about an erasure is not what is recorded.
    #[error("{0} says that its particulars were erased, and the event that it names does not record that")]
    ErasureMisnamed(String),
    /// It belongs elsewhere.
    #[error("it is the history of {found}, not of {expected}")]
    OtherProject {
        /// What was to be proved.
        expected: ProjectId,
        /// What it is.
        found: ProjectId,
    },
    /// The newer history is shorter.
    #[error("the end was dropped: the previous one has {before} events, this one ends with event {now}")]
    Dropped {
        /// How many there were.
        before: i64,
        /// How many there are.
        now: i64,
    },
    /// Both are sound and differ.
    #[error("event {0} is not the one that the previous file has in its place: the history was written anew")]
    Differs(i64),
    /// Both are sound and differ before a checkpoint.
    #[error(
        "the previous file has a checkpoint of event {0} that does not fit: the history was written anew"
    )]
    DiffersAt(i64),
    /// There is a hole between the files.
    #[error("it does not continue the previous one: {} in neither", events_are(*.from, *.to))]
    Gap {
        /// The first in neither.
        from: i64,
        /// The last.
        to: i64,
    },
    /// The previous file proves nothing.
    #[error("the previous file has no events and no checkpoint of this project that verifies")]
    NothingBefore,
}

fn events_of(from: i64, to: i64) -> String {
    if from == to { format!("event {from}") } else { format!("events {from} to {to}") }
}

fn events(from: i64, to: i64) -> String {
    format!("{} {}", events_of(from, to), if from == to { "was" } else { "were" })
}

fn events_are(from: i64, to: i64) -> String {
    format!("{} {}", events_of(from, to), if from == to { "is" } else { "are" })
}
