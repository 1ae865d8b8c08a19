//! Where people are signed in: beginning, looking up and ending.
//!
//! A session is a row. The browser's cookie leads to it by way of the session store, and whoever deletes the row has
//! ended the session on every server at once.

use serde_json::json;
use sqlx::{PgConnection, Postgres, Transaction};
use time::Duration;

use super::Services;
use crate::domain::Instant;
use crate::domain::audit::EventKind;
use crate::domain::decision::Channel;
use crate::domain::ids::SessionId;
use crate::server::db::people::Member;
use crate::server::db::sessions::StoredSession;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::live::Signal;
use crate::server::{db, random};

/// A person is asked to sign in again after this many days.
pub const SESSION_DAYS: i64 = 30;
/// The longest address and the longest name of a browser that are kept, in characters.
const LONGEST: usize = 100;

/// Whoever asks, as far as the network tells.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// Their network address.
    pub address: String,
    /// Their browser, in words.
    pub device: String,
}

impl Services {
    /// Begins a session of somebody who has just made their account.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn begin_session(&self, member: &Member, visitor: &Visitor) -> ServiceResult<SessionId> {
        let mut conn = self.pool.acquire().await?;
        self.insert_session(&mut conn, member, visitor).await
    }

    /// The same inside another use case's transaction.
    pub(super) async fn insert_session(
        &self,
        conn: &mut PgConnection,
        member: &Member,
        visitor: &Visitor,
    ) -> ServiceResult<SessionId> {
        let now = self.clock.now();
        let short = |text: &str| text.chars().take(LONGEST).collect::<String>();
        let session = StoredSession {
            id: SessionId::from_uuid(random::uuid(now)),
            reviewer: member.id,
            device: short(&visitor.device),
            address: short(&visitor.address),
            created_at: now,
            last_seen_at: now,
            expires_at: now + Duration::days(SESSION_DAYS),
        };
        db::sessions::insert(conn, &session).await?;
        Ok(session.id)
    }

    /// Who is signed in with a session, if it lasts and they may act.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn signed_in(&self, session: SessionId) -> ServiceResult<Option<Member>> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let member = db::people::by_session(&mut conn, session, now).await?;
        drop(conn);
        if let Some(seen) = member.as_ref().and_then(|member| member.last_seen_at) {
            self.note_seen(session, seen, now);
        }
        Ok(member)
    }

    /// Notes the use behind the visitor's back, at most once a minute.
    fn note_seen(&self, session: SessionId, seen: Instant, now: Instant) {
        if now - seen <= Duration::MINUTE {
            return;
        }
        let pool = self.pool.clone();
        tokio::spawn(async move {
            let noted = match pool.acquire().await {
                Ok(mut conn) => db::sessions::note_seen(&mut conn, session, now).await,
                Err(error) => Err(error),
            };
            if let Err(error) = noted {
                tracing::debug!(%error, "could not note the use of a session");
            }
        });
    }

    /// Ends the session that somebody is using.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn sign_out(&self, member: &Member, session: SessionId) -> ServiceResult<()> {
        let mut tx = self.pool.begin().await?;
        db::sessions::end(&mut tx, member.id, session).await?;
        self.tell_ended(tx, member, EventKind::PersonSignedOut, json!({})).await
    }

    /// Ends a session that its browser has left for another one.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn leave_session(&self, member: &Member, session: SessionId) -> ServiceResult<()> {
        let mut tx = self.pool.begin().await?;
        db::sessions::end(&mut tx, member.id, session).await?;
        self.commit_and_tell(tx, Signal::Person(member.id)).await
    }

    /// Ends another session of somebody.
    ///
    /// # Errors
    /// If they have no such session.
    pub async fn end_session(&self, member: &Member, session: &str) -> ServiceResult<()> {
        let session: SessionId = session.parse().map_err(|_| ServiceError::NotFound)?;
        let mut tx = self.pool.begin().await?;
        if !db::sessions::end(&mut tx, member.id, session).await? {
            return Err(ServiceError::NotFound);
        }
        self.tell_ended(tx, member, EventKind::PersonSessionsEnded, json!({"sessions": 1})).await
    }

    /// Ends every session of somebody but the one they are using.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn end_other_sessions(&self, member: &Member, but: SessionId) -> ServiceResult<()> {
        let mut tx = self.pool.begin().await?;
        let count = db::sessions::end_all(&mut tx, member.id, Some(but)).await?;
        if count == 0 {
            return Ok(());
        }
        self.tell_ended(tx, member, EventKind::PersonSessionsEnded, json!({"sessions": count})).await
    }

    async fn tell_ended(
        &self,
        mut tx: Transaction<'_, Postgres>,
        member: &Member,
        kind: EventKind,
        data: serde_json::Value,
    ) -> ServiceResult<()> {
        let event = self.about_person(member.project, kind, data, member.actor(), Channel::web());
        db::audit::append(&mut tx, &event).await?;
        self.commit_and_tell(tx, Signal::Person(member.id)).await
    }

    /// Forgets the sessions that are over.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn tidy_sessions(&self) -> ServiceResult<()> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::sessions::forget_ended(&mut conn, self.clock.now()).await?)
    }
}
