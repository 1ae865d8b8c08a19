//! Signing in: slow for whoever guesses, the same answer whether or not there is such an account.

use std::time::Duration;

use serde_json::json;
use sha2::{Digest as _, Sha256};
use sqlx::PgConnection;

use super::people::person_data;
use super::{Services, Visitor};
use crate::domain::audit::{Actor, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::SessionId;
use crate::domain::text::Email;
use crate::server::auth::passwords;
use crate::server::db;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};

/// Failures count for this long.
const WINDOW: Duration = Duration::from_mins(15);
/// Failures of one account from one address until it has to wait.
const PER_PAIR: i64 = 5;
/// Failures from one address, whatever the account.
const PER_ADDRESS: i64 = 30;
/// Failures of one account, whatever the address. High, because anybody could lock a person out with it.
const PER_ACCOUNT: i64 = 100;

/// What failures are counted under.
pub(super) struct Counted {
    pair: String,
    address: String,
    account: String,
}

impl Counted {
    /// An account, as its address was typed, and the network address that asks.
    pub(super) fn new(email: &str, from: &str) -> Self {
        let account = account(email);
        Self {
            pair: format!("pair:{account}:{from}"),
            address: format!("from:{from}"),
            account: format!("account:{account}"),
        }
    }

    fn subjects(&self) -> [String; 3] {
        [self.pair.clone(), self.address.clone(), self.account.clone()]
    }

    fn limit(&self, subject: &str) -> i64 {
        if subject == self.pair {
            PER_PAIR
        } else if subject == self.address {
            PER_ADDRESS
        } else {
            PER_ACCOUNT
        }
    }
}

impl Services {
    /// Checks an address and a password and begins a session.
    ///
    /// # Errors
    /// The same for an unknown address and a wrong password; after a few failures, how long to wait.
    pub async fn sign_in(
        &self,
        email: &str,
        password: String,
        visitor: &Visitor,
    ) -> ServiceResult<(Member, SessionId)> {
        let from = visitor.address.as_str();
        let counted = Counted::new(email, from);
        let mut conn = self.pool.acquire().await?;
        self.heed_failures(&mut conn, &counted).await?;
        let email = Email::parse(email).ok();
        let stored = match &email {
            Some(email) => db::people::password_hash(&mut conn, email).await?,
            None => None,
        };
        // Not held while a core is busy with the password.
        drop(conn);
        let (id, hash) = stored.unzip();
        let is_right = passwords::verify(&self.passwords, password, hash.clone()).await?;
        let mut tx = self.pool.begin().await?;
        // Many that guess at once passed the first look together; each counts for the next here.
        self.heed_failures_in_turn(&mut tx, &counted).await?;
        // The password may have been changed, which ends every session, while a core was busy with the old one. What
        // is held now is changed after this session is there, and ends it.
        let is_right = match id {
            Some(id) => db::people::hold_password_hash(&mut tx, id).await? == hash && is_right,
            None => false,
        };
        let member = match id {
            Some(id) => db::people::active_member(&mut tx, id).await?,
            None => None,
        };
        let Some(member) = member else {
            self.note_failure(&mut tx, &counted).await?;
            tx.commit().await?;
            return Err(ServiceError::WrongCredentials);
        };
        if !is_right {
            self.note_failure_of(&mut tx, &counted, &member, from).await?;
            tx.commit().await?;
            return Err(ServiceError::WrongCredentials);
        }
        let data = person_data(&member, json!({"from": from}));
        let event = self.about_person(
            member.project,
            EventKind::PersonSignedIn,
            data,
            member.actor(),
            Channel::web(),
        );
        db::audit::append(&mut tx, &event).await?;
        db::throttle::forgive(&mut tx, &counted.pair).await?;
        let session = self.insert_session(&mut tx, &member, visitor).await?;
        tx.commit().await?;
        Ok((member, session))
    }

    /// Refuses whoever failed too often.
    pub(super) async fn heed_failures(
        &self,
        conn: &mut PgConnection,
        counted: &Counted,
    ) -> ServiceResult<()> {
        let now = self.clock.now();
        for (subject, count, first) in db::throttle::failures(conn, &counted.subjects(), now - WINDOW).await?
        {
            if count >= counted.limit(&subject) {
                let wait = (first + WINDOW - now).whole_seconds().max(1);
                return Err(ServiceError::Throttled {
                    retry_after_secs: u32::try_from(wait).unwrap_or(u32::MAX),
                });
            }
        }
        Ok(())
    }

    /// The same, one at a time until the transaction ends, so that the answer to a guess beyond the limit tells nothing.
    pub(super) async fn heed_failures_in_turn(
        &self,
        conn: &mut PgConnection,
        counted: &Counted,
    ) -> ServiceResult<()> {
        for subject in counted.subjects() {
            db::throttle::hold(conn, &subject).await?;
        }
        self.heed_failures(conn, counted).await
    }

    async fn note_failure(&self, conn: &mut PgConnection, counted: &Counted) -> ServiceResult<()> {
        let now = self.clock.now();
        Ok(db::throttle::note(conn, &counted.subjects(), now, now - WINDOW).await?)
    }

    /// The same, and the history tells of it.
    pub(super) async fn note_failure_of(
        &self,
        conn: &mut PgConnection,
        counted: &Counted,
        member: &Member,
        from: &str,
    ) -> ServiceResult<()> {
        let data = person_data(member, json!({"from": from}));
        let kind = EventKind::PersonSignInFailed;
        let event = self.about_person(member.project, kind, data, Actor::Anonymous, Channel::web());
        db::audit::append(conn, &event).await?;
        self.note_failure(conn, counted).await
    }
}

/// An address as the throttle keeps it: not readable, since it may be anybody's and may be mistyped.
fn account(email: &str) -> String {
    hex::encode(&Sha256::digest(email.trim().to_lowercase())[..16])
}
