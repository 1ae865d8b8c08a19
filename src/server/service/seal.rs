//! Sealing the history, behind the facts: a link of a chain for every event, and signed checkpoints.
//!
//! Of all servers on a database one seals at a time, whichever comes first; a fact is sealed within a second after its
//! commit, and nothing that a caller waits for takes longer because of it.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use super::Services;
use crate::domain::Instant;
use crate::domain::ids::ProjectId;
use crate::domain::seal::{self, Checkpoint, Sha256Digest, StoredFact};
use crate::server::checkpoint_file::CheckpointFile;
use crate::server::db::checkpoints::Due;
use crate::server::db::seals::NewSeal;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::receipts::sign_checkpoint;
use crate::server::{db, random};

/// How many events are sealed in one transaction. They may be large: each edit stands in them twice.
const BATCH: i64 = 100;
/// A chain that grew is signed this long after it was signed before. A minute is promised.
const SIGN_EVERY: time::Duration = time::Duration::seconds(30);
/// However little is heard.
const LOOK_EVERY: Duration = Duration::from_millis(750);
/// What is heard at the same time is sealed together.
const GATHER: Duration = Duration::from_millis(100);
/// Checkpoints that are copied at a time.
const COPIES: i64 = 100;

/// How urgent a round is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Urgency {
    /// Another one may do it, and checkpoints have time.
    Usual,
    /// Another one may do it, and whatever is sealed is signed: this server ends.
    Last,
    /// Whoever asks needs everything sealed and signed.
    Now,
}

/// What a round of sealing came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// Another server seals at this moment.
    Elsewhere,
    /// So many events were sealed, and all that were there are.
    Done(usize),
    /// So many were sealed, and there are more.
    More(usize),
}

/// The hashes of the chains as they grow.
#[derive(Default)]
struct Heads(BTreeMap<ProjectId, (i64, Sha256Digest)>);

impl Heads {
    fn seal(&mut self, fact: &StoredFact, sealed_at: &str) -> NewSeal {
        let (previous_seq, previous) = self.0.get(&fact.project).copied().unwrap_or((0, seal::beginning()));
        let salt = random::bytes::<16>();
        let erasable = seal::erasable_digest(&hex::encode(salt), &fact.split().1);
        let digest = seal::digest(&fact.canonical(erasable));
        let seq = previous_seq + 1;
        let hash = seal::link(previous, seq, digest, sealed_at);
        self.0.insert(fact.project, (seq, hash));
        NewSeal { project: fact.project, seq, event: fact.id, digest, erasable, salt, hash }
    }
}

impl Services {
    /// Seals the next events, and signs the chains whose checkpoints are due.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn seal_some(&self) -> ServiceResult<Round> {
        self.seal_round(Urgency::Usual).await
    }

    /// Seals everything that was committed before, and signs every chain.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn seal_all(&self) -> ServiceResult<()> {
        while matches!(self.seal_round(Urgency::Now).await?, Round::More(_)) {}
        Ok(())
    }

    async fn seal_round(&self, urgency: Urgency) -> ServiceResult<Round> {
        // Takes a connection of its own, so it comes before the transaction does.
        let keys = self.receipt_keys().await?;
        let mut tx = self.pool.begin().await?;
        match urgency {
            Urgency::Now => db::seals::lock(&mut tx).await?,
            Urgency::Usual | Urgency::Last => {
                if !db::seals::try_lock(&mut tx).await? {
                    return Ok(Round::Elsewhere);
                }
            }
        }
        let (place, sight) = db::seals::look(&mut tx).await?;
        let facts = db::seals::unsealed(&mut tx, place.settled_to, BATCH).await?;
        let now = self.clock.now();
        if !facts.is_empty() {
            let mut heads = Heads::default();
            for fact in &facts {
                if !heads.0.contains_key(&fact.project)
                    && let Some(head) = db::seals::head(&mut tx, fact.project).await?
                {
                    heads.0.insert(fact.project, head);
                }
            }
            let sealed_at = seal::instant(now);
            let seals: Vec<NewSeal> = facts.iter().map(|fact| heads.seal(fact, &sealed_at)).collect();
            db::seals::append(&mut tx, &seals, now).await?;
        }
        let is_cut = facts.len() >= usize::try_from(BATCH).unwrap_or(usize::MAX);
        let before = match urgency {
            Urgency::Last | Urgency::Now if !is_cut => now,
            _ => now - SIGN_EVERY,
        };
        // Without the key the chains grow and wait for it: nothing else vouches for them, and verifying says since when.
        let (signing, due) = match keys.signing() {
            Ok(signing) => (Some(signing), db::checkpoints::due(&mut tx, before).await?),
            Err(_) => (None, Vec::new()),
        };
        for (signing, due) in due.into_iter().filter_map(|due| Some((signing?, due))) {
            let jws = sign_checkpoint(signing, &self.checkpoint(&due, now))
                .map_err(|error| ServiceError::Internal(Box::new(error)))?;
            db::checkpoints::append(&mut tx, &due, &jws, now).await?;
        }
        let next = place.after(sight, facts.last().filter(|_| is_cut).map(|fact| fact.id));
        if next != place {
            db::seals::move_to(&mut tx, next).await?;
        }
        tx.commit().await?;
        Ok(if is_cut { Round::More(facts.len()) } else { Round::Done(facts.len()) })
    }

    fn checkpoint(&self, due: &Due, now: Instant) -> Checkpoint {
        Checkpoint {
            // A command has no address.
            iss: Some(self.public_url.to_string()).filter(|url| !url.is_empty()),
            iat: now.unix_timestamp(),
            project: due.project,
            count: due.seq,
            head: due.hash,
        }
    }

    /// Seals until `stop` is cancelled, and once more then. Checkpoints are copied into `file` if there is one.
    pub async fn run_sealer(&self, mut file: Option<&mut CheckpointFile>, stop: &CancellationToken) {
        let mut heard = self.live.browser();
        loop {
            let is_last = stop.is_cancelled();
            let urgency = if is_last { Urgency::Last } else { Urgency::Usual };
            let sealed = self.seal_round(urgency).await;
            if let Err(error) = &sealed {
                error.log();
            }
            if let Some(file) = file.as_deref_mut()
                && let Err(error) = self.copy_checkpoints(file).await
            {
                error.log();
            }
            if is_last {
                return;
            }
            if matches!(sealed, Ok(Round::More(_))) {
                continue;
            }
            let news = async {
                // Who hears too much to hear it all has heard something.
                while let Err(RecvError::Closed) = heard.recv().await {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(GATHER).await;
            };
            tokio::select! {
                () = news => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = stop.cancelled() => {}
            }
            heard = heard.resubscribe();
        }
    }

    /// Appends the checkpoints that a file lacks, whichever server signed them.
    ///
    /// # Errors
    /// If the database or the file can't be reached.
    pub async fn copy_checkpoints(&self, file: &mut CheckpointFile) -> ServiceResult<()> {
        loop {
            let mut conn = self.pool.acquire().await?;
            let next = db::checkpoints::beyond(&mut conn, &file.known(), COPIES).await?;
            drop(conn);
            if next.is_empty() {
                return Ok(());
            }
            file.append(&next).await.map_err(|error| ServiceError::Internal(Box::new(error)))?;
        }
    }
}
