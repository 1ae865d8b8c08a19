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
            Self::Gone { .. } => Fate::Gone,
            Self::Refused { .. } => Fate::Dead,
            Self::Failed { .. } => {
                let pause = usize::try_from(failures).ok().and_then(|index| PAUSES.get(index));
                pause.map_or(Fate::Dead, |pause| Fate::Retry(*pause))
            }
        }
    }

    /// The receiver's HTTP status, if it answered.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Delivered { status } | Self::Gone { status } => Some(*status),
            Self::Failed { status, .. } => *status,
            Self::Refused { .. } => None,
        }
    }

    /// What went wrong, for people.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Delivered { .. } | Self::Gone { .. } => None,
            Self::Failed { reason, .. } | Self::Refused { reason } => Some(reason),
        }
    }

    /// Whether it counts as a failed attempt.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Refused { .. })
    }
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
}
