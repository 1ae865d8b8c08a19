//! What a device is told, whenever it is time: read at that time, so that it is true, and by what its owner may do then.
//!
//! Whatever else waits for the device goes with it in one notification, and after a few within a minute the next one waits
//! until that minute is over, so that no burst becomes a row of them.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use time::Duration;

use super::Services;
use crate::domain::action::Status;
use crate::domain::delivery::{Fate, Outcome};
use crate::domain::ids::PushDeviceId;
use crate::server::db::outbox::TakenMessage;
use crate::server::db::push::Subscription;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::kept::Kept;
use crate::server::notify::push::words::{self, Notification};
use crate::server::notify::push::{Push, Sender, VapidKey, fate, send};
use crate::server::secrets::SecretError;
use crate::server::{db, random};

/// More notifications than this within [`WINDOW`] become one.
const BURST: i64 = 3;
/// How long that counts.
const WINDOW: Duration = Duration::seconds(60);
/// How long a test is of use.
const TEST_LASTS: Duration = Duration::minutes(5);

/// What is to be said to a device.
pub enum PushStep {
    /// Nothing, or not now.
    Over(Outcome),
    /// This.
    Say {
        /// To whom.
        to: Subscription,
        /// What.
        notification: Notification,
        /// How long it is of use.
        lasts: Duration,
        /// Rows of the outbox that it stands for, too.
        with: Vec<i64>,
        /// What signs it.
        key: Arc<VapidKey>,
    },
}

fn skipped(reason: &str) -> PushStep {
    PushStep::Over(Outcome::Skipped { reason: reason.to_owned() })
}

impl Services {
    /// The key that push services know this server by; made where there is none.
    ///
    /// # Errors
    /// If the database can't be reached. That this server keeps no secrets, or can't open this one, is an answer.
    pub async fn push_key(&self) -> ServiceResult<Result<Arc<VapidKey>, SecretError>> {
        let mut conn = self.pool.acquire().await?;
        let mut stored = db::push::key(&mut conn).await?;
        if stored.is_none() {
            let made =
                VapidKey::generate().map_err(|_| ServiceError::Internal("there is no randomness".into()))?;
            let now = self.clock.now();
            let id = random::uuid(now);
            let sealed = match self.vault.seal(Kept::PushKey.place(id), &STANDARD.encode(made)) {
                Ok(sealed) => sealed,
                Err(error) => return Ok(Err(error)),
            };
            // Of several servers that get here one stores its key; all go on with that one.
            db::push::insert_key(&mut conn, id, &sealed, now).await?;
            stored = db::push::key(&mut conn).await?;
        }
        drop(conn);
        let stored = stored.ok_or_else(|| ServiceError::Internal("there is no key for web push".into()))?;
        Ok(self.vault.open(Kept::PushKey.place(stored.id), &stored.sealed).and_then(|opened| {
            let key = STANDARD.decode(opened).map_err(|_| SecretError::Damaged)?;
            VapidKey::read(&key).map(Arc::new).map_err(|_| SecretError::Damaged)
        }))
    }

    /// Whom a push service can ask about this server (RFC 8292 §2.1: an https or mailto address).
    pub fn push_contact(&self) -> String {
        match (self.public_url.starts_with("https:"), self.platforms.smtp()) {
            (false, Some(smtp)) => format!("mailto:{}", smtp.from.email),
            _ => self.public_url.to_string(),
        }
    }

    /// What a device is to be told because of a row of the outbox.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn push_step(&self, taken: &TakenMessage, device: PushDeviceId) -> ServiceResult<PushStep> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let Some(reachable) = db::push::reachable(&mut conn, device, now).await? else {
            return Ok(skipped("the device is gone"));
        };
        if !reachable.may_decide {
            return Ok(skipped("its owner decides nothing here"));
        }
        let action = db::actions::get(&mut conn, reachable.project, taken.message.action).await?;
        let Some(action) = action.filter(|action| action.status(now) == Status::Pending) else {
            return Ok(skipped("it was decided before this was sent"));
        };
        let (count, first) = db::push::told_since(&mut conn, device, now - WINDOW).await?;
        if let Some(first) = first.filter(|_| count >= BURST) {
            let (after, reason) = (first + WINDOW - now, "waits for others to become one".to_owned());
            return Ok(PushStep::Over(Outcome::Later { after, reason }));
        }
        let others = db::push::also_waiting(&mut conn, device, action.id, now).await?;
        drop(conn);
        let key = match self.push_key().await? {
            Ok(key) => key,
            Err(error) => {
                let reason = format!("the key for web push can't be opened: {error}");
                return Ok(PushStep::Over(Outcome::Failed { status: None, reason }));
            }
        };
        let notification = if others.is_empty() {
            words::one(&action, reachable.hides_content, &self.public_url, now)
        } else {
            let own = action.content.title.as_str().to_owned();
            let titles: Vec<String> =
                std::iter::once(own).chain(others.iter().map(|(_, title)| title.clone())).collect();
            words::several(&titles, reachable.hides_content, &self.public_url)
        };
        let with = others.into_iter().map(|(row, _)| row).collect();
        Ok(PushStep::Say {
            to: reachable.subscription,
            notification,
            lasts: action.expires_at - now,
            with,
            key,
        })
    }

    /// Writes down what came of telling a device; `with` are the rows that it stood for, too.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn record_push(
        &self,
        taken: &TakenMessage,
        device: PushDeviceId,
        outcome: &Outcome,
        with: &[i64],
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        let fate = outcome.notice_fate(taken.failures);
        let with = if fate == Fate::Delivered { with } else { &[] };
        let mut tx = self.pool.begin().await?;
        db::outbox::hold(&mut tx, taken.lease, with).await?;
        db::push::note(&mut tx, device, outcome, now).await?;
        db::push::close_told(&mut tx, with, now).await?;
        if !db::outbox::record(&mut tx, taken.lease, outcome, fate, now).await? {
            tracing::warn!(delivery.id = %taken.message.event, "telling a device took longer than its lease");
        }
        tx.commit().await?;
        self.metrics.delivery(fate.as_str());
        Ok(())
    }

    /// Has a device show that it works, at once. What is known of its health says how it went.
    pub(super) async fn try_push(&self, device: PushDeviceId) -> ServiceResult<Result<(), String>> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let reachable = db::push::reachable(&mut conn, device, now).await?.ok_or(ServiceError::NotFound)?;
        // No connection is held while a push service takes its time.
        drop(conn);
        let key = match self.push_key().await? {
            Ok(key) => key,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let (contact, notification) = (self.push_contact(), words::test(&self.public_url));
        let sender = Sender { key: &key, contact: &contact, now };
        let push = Push { to: &reachable.subscription, notification: &notification, lasts: TEST_LASTS };
        let sent = send(self.platforms.guarded(), &sender, &push).await;
        let mut tx = self.pool.begin().await?;
        db::push::note(&mut tx, device, &fate(&sent), self.clock.now()).await?;
        tx.commit().await?;
        Ok(sent.map(|_| ()).map_err(|failure| failure.reason))
    }
}
