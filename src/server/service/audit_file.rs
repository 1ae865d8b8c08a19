//! The sealed history as lines: for a file that proves itself, and for checking it where it is.
//!
//! No connection is held between pages, and the end is settled at the beginning, so it ends however busy the project is.

use serde_json::{Map, Value, json};

use super::Services;
use crate::domain::Instant;
use crate::domain::audit::{Actor, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::ProjectId;
use crate::domain::seal::{self, Sha256Digest, StoredFact};
use crate::server::db;
use crate::server::db::chain::{ErasureRecord, StoredLink, Waiting};
use crate::server::db::seals::SealState;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::proof::{Erasure, EventLine, FORMAT, Head, Line};

/// Links on one page; their events may be large.
const PAGE: i64 = 200;
/// What is longer without a seal or a signature is late: a server that runs takes a second, and half a minute.
const PROMISE: time::Duration = time::Duration::MINUTE;

/// A part of a chain that is being read.
#[derive(Debug, Clone)]
pub struct FileRange {
    project: ProjectId,
    /// The last event that was read, or the one before the first.
    at: i64,
    last: i64,
    /// The hash of that event.
    hash: Option<Sha256Digest>,
}

impl Services {
    /// How far a project's history is sealed; nothing if no event is.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn seal_state(&self, project: ProjectId) -> ServiceResult<Option<SealState>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::seals::state(&mut conn, project).await?)
    }

    /// Notes that somebody takes the sealed history away, seals and signs all of it up to that note, and settles which
    /// part the file has: the events of a span of time, that is, before `until`, and whatever stands between them and
    /// the next checkpoint.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn begin_audit_file(
        &self,
        project: ProjectId,
        since: Option<Instant>,
        until: Option<Instant>,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<(Line, FileRange)> {
        let asked = [("since", since), ("until", until)];
        let asked: Map<String, Value> = asked
            .iter()
            .filter_map(|(name, at)| Some(((*name).to_owned(), json!(seal::instant((*at)?)))))
            .collect();
        let data = json!({"format": "sealed", "filter": asked});
        let event = self.about_project(project, EventKind::AuditExported, data, actor, channel);
        let mut conn = self.pool.acquire().await?;
        db::audit::append(&mut conn, &event).await?;
        drop(conn);
        self.seal_all().await?;
        let mut conn = self.pool.acquire().await?;
        let whole = db::seals::head(&mut conn, project).await?.map_or(0, |(seq, _)| seq);
        let (first, last) = match (since, until) {
            (None, None) => (1, whole),
            // Where nothing happened, the file has no events and no checkpoint.
            _ => db::chain::range(&mut conn, project, since, until).await?.unwrap_or((1, 0)),
        };
        let covered = db::checkpoints::between(&mut conn, project, last, i64::MAX).await?;
        let last = if last < first { last } else { covered.first().map_or(last, |next| next.seq) };
        let head = Head {
            format: FORMAT.to_owned(),
            project,
            exported_at: seal::instant(self.clock.now()),
            since: since.map(seal::instant),
            until: until.map(seal::instant),
            first,
            last,
        };
        Ok((Line::Export(head), FileRange { project, at: first - 1, last, hash: None }))
    }

    /// The whole of a history as it is, without changing anything.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn whole_history(&self, project: ProjectId) -> ServiceResult<(Line, FileRange)> {
        let mut conn = self.pool.acquire().await?;
        let last = db::seals::head(&mut conn, project).await?.map_or(0, |(seq, _)| seq);
        // A checkpoint of events that are gone belongs to what there is to see.
        let signed = db::checkpoints::between(&mut conn, project, last, i64::MAX).await?;
        let end = signed.last().map_or(last, |checkpoint| checkpoint.seq.max(last));
        let head = Head {
            format: FORMAT.to_owned(),
            project,
            exported_at: seal::instant(self.clock.now()),
            since: None,
            until: None,
            first: 1,
            last,
        };
        Ok((Line::Export(head), FileRange { project, at: 0, last: end, hash: None }))
    }

    /// The next lines of a range; none at its end.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn audit_file_page(&self, range: &mut FileRange) -> ServiceResult<Vec<Line>> {
        if range.at >= range.last {
            return Ok(Vec::new());
        }
        let mut conn = self.pool.acquire().await?;
        let links = db::chain::links(&mut conn, range.project, range.at, range.last, PAGE).await?;
        let last = match links.last() {
            Some(link) if links.len() >= usize::try_from(PAGE).unwrap_or(usize::MAX) => link.seq,
            _ => range.last,
        };
        // After the events: whatever was erased when they were read is recorded here, unless it still goes on.
        let records = db::chain::erasures(&mut conn, range.project).await?;
        let signed = db::checkpoints::between(&mut conn, range.project, range.at + 1, last).await?;
        if range.hash.is_none() && range.at > 0 {
            let before = db::chain::links(&mut conn, range.project, range.at - 1, range.at, 1).await?;
            range.hash = before.first().map(|link| hash(&link.hash)).transpose()?;
        }
        let mut signed = signed.into_iter().peekable();
        let mut written = Vec::with_capacity(links.len());
        for link in links {
            while let Some(due) = signed.next_if(|due| due.seq < link.seq) {
                written.push(Line::checkpoint(due.jws));
            }
            let previous = range.hash.unwrap_or_else(seal::beginning);
            range.hash = Some(hash(&link.hash)?);
            written.push(Line::Event(Box::new(line(link, previous, &records)?)));
        }
        written.extend(signed.map(|next| Line::checkpoint(next.jws)));
        range.at = last;
        Ok(written)
    }

    /// Every project that has a part of the history.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn projects_with_history(&self) -> ServiceResult<Vec<ProjectId>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::chain::projects(&mut conn).await?)
    }

    /// An event of a project that has no seal although the sealer has passed it.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn stray_event(&self, project: ProjectId) -> ServiceResult<Option<StoredFact>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::chain::stray(&mut conn, project).await?)
    }

    /// What of a project waits to be sealed, and since when the events after `signed` wait for a checkpoint, if that is
    /// longer than a server that runs takes.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn end_of_history(
        &self,
        project: ProjectId,
        signed: i64,
    ) -> ServiceResult<(Waiting, Option<Instant>)> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let waiting = db::chain::waiting(&mut conn, project, now, PROMISE).await?;
        let unsigned = db::chain::sealed_at(&mut conn, project, signed + 1).await?;
        Ok((waiting, unsigned.filter(|at| *at < now - PROMISE)))
    }
}

fn hash(bytes: &[u8]) -> ServiceResult<Sha256Digest> {
    Sha256Digest::from_slice(bytes)
        .ok_or_else(|| ServiceError::Internal("a hash in audit_seal is none".into()))
}

/// A link as a line; what is wrong with it is for the reader to find.
fn line(link: StoredLink, previous: Sha256Digest, records: &[ErasureRecord]) -> ServiceResult<EventLine> {
    let sealed = hash(&link.erasable)?;
    let (mut event, mut erasable) = (None, None);
    if let Some(fact) = &link.fact {
        let rest = fact.split().1;
        // What is left of erased particulars is the mark that they are.
        erasable = (link.erased_at.is_none() || rest != json!({"erased": true})).then_some(rest);
        event = Some(fact.canonical(sealed));
    }
    let erased = link.erased_at.map(|at| {
        let record = records.iter().find(|record| record.seq > link.seq && record.at >= at);
        match record {
            Some(record) => {
                Erasure { at: record.at_text.clone(), by: Some(record.by.clone()), event: Some(record.seq) }
            }
            None => Erasure { at: seal::instant(at), by: None, event: None },
        }
    });
    Ok(EventLine {
        seq: link.seq,
        event,
        erasable,
        salt: link.salt.map(hex::encode),
        erased,
        digest: hash(&link.digest)?,
        previous,
        sealed_at: link.sealed_at,
        hash: hash(&link.hash)?,
    })
}
