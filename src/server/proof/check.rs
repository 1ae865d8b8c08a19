//! The check of a history: line by line, to the first event that is not as it was sealed.

use std::collections::BTreeMap;

use serde_json::Value;

use super::finding::Finding;
use super::line::{Erasure, EventLine, FORMAT, Head, Line};
use super::trail::Trail;
use crate::domain::ids::ProjectId;
use crate::domain::seal::{self, Checkpoint, Sha256Digest};
use crate::server::receipts::{KeySet, VerifyError, verify_checkpoint};

/// Where the lines come from, which decides what must be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// An export: it ends with a checkpoint.
    File,
    /// What an export is compared with: another export, or checkpoints alone.
    Previous,
    /// The database: its last events wait for their checkpoint.
    Live,
}

/// What a history that is intact comes to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whose it is; nobody's if it is a file of checkpoints.
    pub project: Option<ProjectId>,
    /// When its first and its last event happened.
    pub span: Option<(String, String)>,
    /// Events whose particulars were erased.
    pub erased: usize,
    /// By whom, when, and which event records it.
    pub erasures: BTreeMap<i64, (String, String)>,
    /// Checkpoints that verify.
    pub checkpoints: usize,
    /// Checkpoints that a key signed that is not in the set.
    pub strangers: usize,
    /// The last event that one covers, and when that was signed, in Unix seconds.
    pub signed: Option<(i64, i64)>,
    /// The hashes, for whatever continues it.
    pub trail: Trail,
}

/// Something does not fit; the lines after it may say what happened.
struct Suspect {
    seq: i64,
    /// What the place is chained to.
    before: Sha256Digest,
    digest: Sha256Digest,
    sealed_at: String,
    hash: Sha256Digest,
    name: String,
    otherwise: Finding,
}

/// A check that is under way.
pub struct Check<'a> {
    keys: &'a KeySet,
    source: Source,
    head: Option<Head>,
    finding: Option<Finding>,
    suspect: Option<Suspect>,
    /// The hash before the last one.
    before_last: Option<Sha256Digest>,
    outcome: Outcome,
}

impl<'a> Check<'a> {
    /// Checks lines of a source with these public keys.
    pub fn new(source: Source, keys: &'a KeySet) -> Self {
        let outcome = Outcome { trail: Trail { first: 1, ..Trail::default() }, ..Outcome::default() };
        Self { keys, source, head: None, finding: None, suspect: None, before_last: None, outcome }
    }

    /// Takes the next line.
    pub fn line(&mut self, line: Line) {
        if self.finding.is_some() {
            return;
        }
        if self.suspect.is_some() {
            if let Line::Event(line) = line {
                self.explain(&line);
            }
            return;
        }
        let wrong = match line {
            Line::Export(head) => self.begin(head),
            Line::Event(line) => self.event(*line),
            Line::Checkpoint(line) => self.checkpoint(&line.jws),
        };
        self.finding = wrong.err();
    }

    /// What came of it.
    ///
    /// # Errors
    /// Says what is wrong first.
    pub fn end(self) -> Result<Outcome, Finding> {
        if let Some(finding) = self.finding.or(self.suspect.map(|suspect| suspect.otherwise)) {
            return Err(finding);
        }
        let Some(head) = self.head else {
            return if self.source == Source::Previous { Ok(self.outcome) } else { Err(Finding::NoHead) };
        };
        let (first, last) = (self.outcome.trail.first, self.outcome.trail.last());
        if last < head.last {
            return Err(Finding::Removed { from: last + 1, to: head.last });
        }
        let signed_to = self.outcome.signed.map_or(first - 1, |(seq, _)| seq);
        let must_be_signed = match self.source {
            Source::Live => self.outcome.signed.is_none(),
            Source::File | Source::Previous => true,
        };
        if must_be_signed && signed_to < last {
            return Err(Finding::Uncovered { from: signed_to + 1, to: last });
        }
        Ok(self.outcome)
    }

    fn begin(&mut self, head: Head) -> Result<(), Finding> {
        if head.format != FORMAT {
            return Err(Finding::Format(head.format));
        }
        if self.head.is_some() || head.first < 1 || self.outcome.checkpoints > 0 {
            return Err(Finding::NoHead);
        }
        self.outcome.project = Some(head.project);
        self.outcome.trail.first = head.first;
        self.outcome.trail.before = (head.first == 1).then(seal::beginning);
        self.head = Some(head);
        Ok(())
    }

    fn event(&mut self, line: EventLine) -> Result<(), Finding> {
        let Some(head) = &self.head else { return Err(Finding::NoHead) };
        let (project, seq) = (head.project, self.outcome.trail.last() + 1);
        let name = name(line.seq, line.event.as_ref());
        if line.seq < seq {
            return Err(Finding::Inserted(name));
        }
        // In the middle of a chain the first event brings its beginning along, which the next checkpoint vouches for.
        let before = *self.outcome.trail.before.get_or_insert(line.previous);
        let before = self.outcome.trail.hashes.last().copied().unwrap_or(before);
        let digest = line.event.as_ref().map_or(line.digest, seal::digest);
        let suspect = |otherwise| Suspect {
            seq,
            before,
            digest,
            sealed_at: line.sealed_at.clone(),
            hash: line.hash,
            name: name.clone(),
            otherwise,
        };
        if line.seq > seq {
            self.suspect = Some(suspect(Finding::Removed { from: seq, to: line.seq - 1 }));
            return Ok(());
        }
        let Some(event) = &line.event else { return Err(Finding::Removed { from: seq, to: seq }) };
        if digest != line.digest {
            if seal::link(before, seq, digest, &line.sealed_at) == line.hash {
                return Err(Finding::SealChanged(name));
            }
            self.suspect = Some(suspect(Finding::Changed(name.clone())));
            return Ok(());
        }
        if seal::link(before, seq, digest, &line.sealed_at) != line.hash {
            // What belongs one place further up was pushed down by what stands there.
            let pushed = self
                .before_last
                .is_some_and(|b| seal::link(b, seq - 1, digest, &line.sealed_at) == line.hash);
            if pushed {
                return Err(Finding::Inserted(format!("event {}", seq - 1)));
            }
            self.suspect = Some(suspect(Finding::Broken(name.clone())));
            return Ok(());
        }
        if line.previous != before {
            return Err(Finding::SealChanged(name));
        }
        if text(event, "project") != project.to_string() {
            return Err(Finding::Changed(name));
        }
        self.particulars(&line, event, &name)?;
        self.record(seq, event)?;
        let at = text(event, "at").to_owned();
        match &mut self.outcome.span {
            Some((_, last)) => *last = at,
            span @ None => *span = Some((at.clone(), at)),
        }
        self.before_last = Some(before);
        self.outcome.trail.hashes.push(line.hash);
        Ok(())
    }

    /// What an erasure takes away is as it was, or gone for a reason that the history records.
    fn particulars(&mut self, line: &EventLine, event: &Value, name: &str) -> Result<(), Finding> {
        match (&line.erased, &line.erasable, &line.salt) {
            (None, Some(erasable), Some(salt)) => {
                let digest = seal::erasable_digest(salt, erasable).to_string();
                match digest == text(event, "erasable_sha256") {
                    true => Ok(()),
                    false => Err(Finding::Changed(name.to_owned())),
                }
            }
            (Some(Erasure { at, by: Some(by), event: Some(record) }), None, None) => {
                let told = (at.clone(), by.clone());
                let known = self.outcome.erasures.entry(*record).or_insert_with(|| told.clone());
                if *record <= line.seq || *known != told {
                    return Err(Finding::ErasureMisnamed(name.to_owned()));
                }
                self.outcome.erased += 1;
                Ok(())
            }
            (Some(_), None, None) => Err(Finding::ErasedUnrecorded(name.to_owned())),
            _ => Err(Finding::Changed(name.to_owned())),
        }
    }

    /// An event that others name as the record of their erasure is one.
    fn record(&self, seq: i64, event: &Value) -> Result<(), Finding> {
        let Some((at, by)) = self.outcome.erasures.get(&seq) else { return Ok(()) };
        let is_record = text(event, "event") == "gdpr.erase"
            && text(event, "at") == at.as_str()
            && text(event, "actor_name") == by.as_str();
        if is_record { Ok(()) } else { Err(Finding::ErasureMisnamed(name(seq, Some(event)))) }
    }

    fn checkpoint(&mut self, jws: &str) -> Result<(), Finding> {
        let last = self.outcome.trail.last();
        let forged = |why: &str| Finding::Forged { after: last, why: why.to_owned() };
        let Checkpoint { iat, project, count, head, .. } = match verify_checkpoint(jws, self.keys) {
            Ok(checkpoint) => checkpoint,
            Err(VerifyError::UnknownKey(_)) => {
                self.outcome.strangers += 1;
                return Ok(());
            }
            Err(VerifyError::Signature) => return Err(forged("its signature does not fit")),
            Err(_) => return Err(forged("it is not a checkpoint that was signed with Ed25519")),
        };
        if self.head.is_some() {
            self.place(project, count, head, &forged)?;
            if self.suspect.is_some() {
                return Ok(());
            }
        } else if self.source != Source::Previous {
            return Err(Finding::NoHead);
        }
        self.outcome.checkpoints += 1;
        self.outcome.signed = Some((count, iat));
        self.outcome.trail.signed.push((project, count, head));
        Ok(())
    }

    /// A genuine checkpoint says what the chain is at the place where it stands.
    fn place(
        &mut self,
        project: ProjectId,
        count: i64,
        hash: Sha256Digest,
        forged: &dyn Fn(&str) -> Finding,
    ) -> Result<(), Finding> {
        let trail = &mut self.outcome.trail;
        let last = trail.last();
        if let Some(expected) = self.outcome.project.filter(|expected| *expected != project) {
            return Err(Finding::OtherProject { expected, found: project });
        }
        if count < last {
            return Err(forged(&format!("it is the one of event {count}")));
        }
        if count > last {
            let otherwise = Finding::Removed { from: last + 1, to: count };
            let before = trail.hashes.last().copied().or(trail.before).unwrap_or_else(seal::beginning);
            let (sealed_at, name) = (String::new(), String::new());
            self.suspect =
                Some(Suspect { seq: last + 1, before, digest: hash, sealed_at, hash, name, otherwise });
            return Ok(());
        }
        let ours = *trail.hashes.last().unwrap_or(trail.before.get_or_insert(hash));
        if ours != hash {
            let from = self.outcome.signed.map_or(trail.first, |(seq, _)| seq + 1);
            return Err(Finding::Rewritten { from, to: count });
        }
        Ok(())
    }

    /// Whether a later line is what belongs where something did not fit, or what stands there belongs here.
    fn explain(&mut self, line: &EventLine) {
        let Some(suspect) = &self.suspect else { return };
        let Suspect { seq, before, .. } = *suspect;
        let fits = |digest, sealed_at: &str, hash| seal::link(before, seq, digest, sealed_at) == hash;
        let belongs_there = fits(line.digest, &line.sealed_at, line.hash)
            || fits(line.digest, &suspect.sealed_at, suspect.hash);
        let what = name(line.seq, line.event.as_ref());
        if belongs_there && suspect.name.is_empty() {
            self.finding = Some(Finding::Reordered { what: "a checkpoint".to_owned(), belongs: line.seq });
        } else if belongs_there {
            self.finding = Some(Finding::Reordered { what, belongs: seq });
        } else if suspect.digest == line.digest {
            self.finding = Some(Finding::Reordered { what: suspect.name.clone(), belongs: line.seq });
        }
    }
}

fn text<'v>(event: &'v Value, name: &str) -> &'v str {
    event.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// An event as a sentence names it.
fn name(seq: i64, event: Option<&Value>) -> String {
    match event {
        Some(event) => format!("event {seq} ({}, {})", text(event, "event"), text(event, "at")),
        None => format!("event {seq}"),
    }
}
