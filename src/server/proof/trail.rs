//! What is kept of a history that was checked, and whether a newer one continues it.

use super::Finding;
use crate::domain::ids::ProjectId;
use crate::domain::seal::{self, Sha256Digest};

/// The hashes and the verified checkpoints of a history that was found sound.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trail {
    /// The place of the first hash.
    pub first: i64,
    /// What the first event was chained to.
    pub before: Option<Sha256Digest>,
    /// One hash for every event.
    pub hashes: Vec<Sha256Digest>,
    /// Places with the hashes that were signed for them; of other projects, too, in a file of checkpoints alone.
    pub signed: Vec<(ProjectId, i64, Sha256Digest)>,
}

/// How a newer history goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Continued {
    /// Up to which event it is the same.
    pub same_to: i64,
    /// How many events are new.
    pub new: i64,
}

impl Trail {
    /// The place of the last event, or of the one before the first.
    pub fn last(&self) -> i64 {
        self.first - 1 + i64::try_from(self.hashes.len()).unwrap_or(i64::MAX)
    }

    /// The hash at a place, also at the one before the first event.
    fn at(&self, seq: i64) -> Option<Sha256Digest> {
        match seq {
            0 => Some(seal::beginning()),
            seq if seq == self.first - 1 => self.before,
            seq => self.hashes.get(usize::try_from(seq - self.first).ok()?).copied(),
        }
    }

    /// Whether this history of a project continues an older one.
    ///
    /// # Errors
    /// Says where it does not.
    pub fn continues(&self, older: &Self, project: ProjectId) -> Result<Continued, Finding> {
        let signed: Vec<(i64, Sha256Digest)> = older
            .signed
            .iter()
            .filter(|(whose, ..)| *whose == project)
            .map(|(_, seq, hash)| (*seq, *hash))
            .collect();
        let most = signed.iter().map(|(seq, _)| *seq).max().unwrap_or(0);
        let most = if older.hashes.is_empty() { most } else { most.max(older.last()) };
        if most == 0 {
            return Err(Finding::NothingBefore);
        }
        for (index, hash) in older.hashes.iter().enumerate() {
            let seq = older.first + i64::try_from(index).unwrap_or(i64::MAX);
            if self.at(seq).is_some_and(|ours| ours != *hash) {
                return Err(if seq < self.first { Finding::DiffersAt(seq) } else { Finding::Differs(seq) });
            }
        }
        for (seq, hash) in &signed {
            if self.at(*seq).is_some_and(|ours| ours != *hash) {
                return Err(Finding::DiffersAt(*seq));
            }
        }
        if self.last() < most {
            return Err(Finding::Dropped { before: most, now: self.last() });
        }
        // A place that both know ties them together.
        let is_tied = older
            .hashes
            .iter()
            .enumerate()
            .any(|(index, _)| self.at(older.first + i64::try_from(index).unwrap_or(i64::MAX)).is_some())
            || signed.iter().any(|(seq, _)| self.at(*seq).is_some());
        if !is_tied {
            return Err(Finding::Gap { from: most + 1, to: self.first - 1 });
        }
        Ok(Continued { same_to: most, new: self.last() - most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn hash(name: &str) -> Sha256Digest {
        seal::digest(&json!(name))
    }

    fn trail(first: i64, names: &[&str]) -> Trail {
        let before = if first == 1 { seal::beginning() } else { hash(&format!("h{}", first - 1)) };
        Trail {
            first,
            before: Some(before),
            hashes: names.iter().map(|name| hash(name)).collect(),
            signed: Vec::new(),
        }
    }

    #[test]
    fn a_newer_history_has_what_the_older_one_had() {
        let project = ProjectId::from_uuid(uuid::Uuid::from_u128(1));
        let older = trail(1, &["h1", "h2", "h3"]);
        let newer = trail(1, &["h1", "h2", "h3", "h4"]);
        assert_eq!(newer.continues(&older, project), Ok(Continued { same_to: 3, new: 1 }));
        assert_eq!(older.continues(&newer, project), Err(Finding::Dropped { before: 4, now: 3 }));
        let other = trail(1, &["h1", "x2", "x3", "x4"]);
        assert_eq!(other.continues(&older, project), Err(Finding::Differs(2)));
        assert_eq!(trail(4, &["h4"]).continues(&older, project), Ok(Continued { same_to: 3, new: 1 }));
        let apart = Trail { before: Some(hash("x")), ..trail(4, &["h4"]) };
        assert_eq!(apart.continues(&older, project), Err(Finding::DiffersAt(3)));
        assert_eq!(trail(6, &["h6"]).continues(&older, project), Err(Finding::Gap { from: 4, to: 5 }));
    }

    #[test]
    fn checkpoints_alone_are_something_to_continue() {
        let (project, other) =
            (ProjectId::from_uuid(uuid::Uuid::from_u128(1)), ProjectId::from_uuid(uuid::Uuid::from_u128(2)));
        let older = |signed| Trail { first: 1, signed, ..Trail::default() };
        let newer = trail(1, &["h1", "h2", "h3"]);
        let fits = older(vec![(project, 2, hash("h2")), (other, 900, hash("y"))]);
        assert_eq!(newer.continues(&fits, project), Ok(Continued { same_to: 2, new: 1 }));
        let dropped = older(vec![(project, 2, hash("h2")), (project, 9, hash("h9"))]);
        assert_eq!(newer.continues(&dropped, project), Err(Finding::Dropped { before: 9, now: 3 }));
        let written_anew = older(vec![(project, 2, hash("x"))]);
        assert_eq!(newer.continues(&written_anew, project), Err(Finding::DiffersAt(2)));
        assert_eq!(
            newer.continues(&older(vec![(other, 2, hash("h2"))]), project),
            Err(Finding::NothingBefore)
        );
    }
}
