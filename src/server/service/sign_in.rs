//! Signing in: slow for whoever guesses, the same answer whether or not there is such an account.

use std::time::Duration;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::Services;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
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

impl Services {
    /// Checks an address and a password. `from` is the network address of whoever asks.
    ///
    /// # Errors
    /// The same for an unknown address and a wrong password; after a few failures, how long to wait.
    pub async fn sign_in(&self, email: &str, password: String, from: &str) -> ServiceResult<Member> {
        let now = self.clock.now();
        let since = now - WINDOW;
        let pair = format!("pair:{}:{from}", account(email));
        let address = format!("from:{from}");
        let subjects = [pair.clone(), address.clone(), format!("account:{}", account(email))];
        let mut conn = self.pool.acquire().await?;
        for (subject, count, first) in db::throttle::failures(&mut conn, &subjects, since).await? {
            let limit = if subject == pair {
                PER_PAIR
            } else if subject == address {
                PER_ADDRESS
            } else {
                PER_ACCOUNT
            };
            if count >= limit {
                let wait = (first + WINDOW - now).whole_seconds().max(1);
                return Err(ServiceError::Throttled {
                    retry_after_secs: u32::try_from(wait).unwrap_or(u32::MAX),
                });
            }
        }
        let email = Email::parse(email).ok();
        let stored = match &email {
            Some(email) => db::people::password_hash(&mut conn, email).await?,
            None => None,
        };
        // Not held while a core is busy with the password.
        drop(conn);
        let (id, hash) = stored.unzip();
        let is_right = passwords::verify(&self.passwords, password, hash).await?;
        let mut conn = self.pool.acquire().await?;
        let member = match id {
            Some(id) => db::people::active_member(&mut conn, id).await?,
            None => None,
        };
        drop(conn);
        let mut tx = self.pool.begin().await?;
        let Some(member) = member else {
            db::throttle::note(&mut tx, &subjects, now, since).await?;
            tx.commit().await?;
            return Err(ServiceError::WrongCredentials);
        };
        let kind = if is_right { EventKind::PersonSignedIn } else { EventKind::PersonSignInFailed };
        let actor = if is_right {
            Actor::Reviewer { id: member.id, name: member.name.clone() }
        } else {
            Actor::Anonymous
        };
        let data = json!({"reviewer_id": member.id.to_string(), "name": member.name, "from": from});
        let channel = Channel::web();
        let event = AuditEvent { project: member.project, at: now, kind, action: None, actor, channel, data };
        db::audit::append(&mut tx, &event).await?;
        match is_right {
            true => db::throttle::forgive(&mut tx, &pair).await?,
            false => db::throttle::note(&mut tx, &subjects, now, since).await?,
        }
        tx.commit().await?;
        if is_right { Ok(member) } else { Err(ServiceError::WrongCredentials) }
    }

    /// Notes that a person signed out.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn note_sign_out(&self, member: &Member) -> ServiceResult<()> {
        let event = AuditEvent {
            project: member.project,
            at: self.clock.now(),
            kind: EventKind::PersonSignedOut,
            action: None,
            actor: Actor::Reviewer { id: member.id, name: member.name.clone() },
            channel: Channel::web(),
            data: json!({}),
        };
        let mut conn = self.pool.acquire().await?;
        Ok(db::audit::append(&mut conn, &event).await?)
    }
}

/// An address as the throttle keeps it: not readable, since it may be anybody's and may be mistyped.
fn account(email: &str) -> String {
    hex::encode(&Sha256::digest(email.trim().to_lowercase())[..16])
}
