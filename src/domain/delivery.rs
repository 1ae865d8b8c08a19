//! What comes of trying to deliver a message, and when it is tried again.

use time::Duration;

/// How long to wait after the first, second, … failure; after one more it is given up.
const PAUSES: [Duration; 5] = [
    Duration::seconds(60),
    Duration::seconds(300),
    Duration::seconds(1_500),
    Duration::seconds(7_200),
    Duration::seconds(43_200),
];

/// The same for a message to people, who decide while there is time.
const NOTICE_PAUSES: [Duration; 5] = [
    Duration::seconds(5),
    Duration::seconds(30),
    Duration::minutes(2),
    Duration::minutes(10),
    Duration::hours(1),
];

/// What one attempt came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver took it.
    Delivered {
        /// Its HTTP status.
        status: u16,
    },
    /// The receiver says that it is gone for good.
    Gone {
        /// Its HTTP status.
        status: u16,
    },
    /// It did not arrive; another attempt may help.
    Failed {
        /// The receiver's HTTP status, if it answered.
        status: Option<u16>,
        /// What happened, for people.
        reason: String,
    },
    /// It may not be sent there; no further attempt will help.
    Refused {
        /// Why, for people.
        reason: String,
    },
    /// Not now, and that is nobody's failure.
    Later {
        /// When to try again.
        after: Duration,
        /// Why, for people.
        reason: String,
    },
    /// There is nothing to send any more.
    Skipped {
        /// Why, for people.
        reason: String,
    },
}

/// What becomes of a message after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Done.
    Delivered,
    /// Done: nothing is sent there any more.
    Gone,
    /// Tried again after this long.
    Retry(Duration),
    /// Given up, until somebody replays it.
    Dead,
}

impl Fate {
    /// The text of the JSON and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Gone => "gone",
            Self::Retry(_) => "retry",
            Self::Dead => "dlq",
        }
    }
}

impl Outcome {
    /// What becomes of a message that had failed `failures` times before this attempt.
    pub fn fate(&self, failures: u32) -> Fate {
        match self {
            Self::Delivered { .. } => Fate::Delivered,
            Self::Refused { .. } => Fate::Dead,
            Self::Failed { .. } => retry(&PAUSES, failures),
            Self::Later { after, .. } => Fate::Retry(*after),
            Self::Gone { .. } | Self::Skipped { .. } => Fate::Gone,
        }
    }

    /// The same for a message to people.
    pub fn notice_fate(&self, failures: u32) -> Fate {
        match self {
            Self::Failed { .. } => retry(&NOTICE_PAUSES, failures),
            other => other.fate(failures),
        }
    }

    /// The receiver's HTTP status, if it answered.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Delivered { status } | Self::Gone { status } => Some(*status),
            Self::Failed { status, .. } => *status,
            Self::Refused { .. } | Self::Later { .. } | Self::Skipped { .. } => None,
        }
    }

    /// What went wrong, for people.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Delivered { .. } | Self::Gone { .. } => None,
            Self::Failed { reason, .. }
            | Self::Refused { reason }
            | Self::Later { reason, .. }
            | Self::Skipped { reason } => Some(reason),
        }
    }

    /// Whether it counts as a failed attempt.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Refused { .. })
    }
}

fn retry(pauses: &[Duration], failures: u32) -> Fate {
    let pause = usize::try_from(failures).ok().and_then(|index| pauses.get(index));
    pause.map_or(Fate::Dead, |pause| Fate::Retry(*pause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_failures_end_it() {
        let failed = Outcome::Failed { status: Some(500), reason: "HTTP 500".to_owned() };
        let pauses: Vec<i64> = (0..5)
            .map(|failures| match failed.fate(failures) {
                Fate::Retry(pause) => pause.whole_seconds(),
                other => panic!("{other:?} after {failures} failures"),
            })
            .collect();
        assert_eq!(pauses, [60, 300, 1_500, 7_200, 43_200]);
        assert_eq!(failed.fate(5), Fate::Dead);
        assert_eq!(failed.fate(u32::MAX), Fate::Dead);
    }

    #[test]
    fn only_failures_are_tried_again() {
        assert_eq!(Outcome::Delivered { status: 204 }.fate(5), Fate::Delivered);
        assert_eq!(Outcome::Gone { status: 410 }.fate(0), Fate::Gone);
        assert_eq!(Outcome::Refused { reason: "no".to_owned() }.fate(0), Fate::Dead);
    }

    #[test]
    fn a_message_to_people_is_tried_again_soon_and_what_comes_later_is_no_failure() {
        let failed = Outcome::Failed { status: None, reason: "no connection".to_owned() };
        assert_eq!(failed.notice_fate(0), Fate::Retry(Duration::seconds(5)));
        assert_eq!(failed.notice_fate(5), Fate::Dead);
        let later = Outcome::Later { after: Duration::seconds(7), reason: "HTTP 429".to_owned() };
        assert_eq!((later.notice_fate(9), later.is_failure()), (Fate::Retry(Duration::seconds(7)), false));
    }
}
