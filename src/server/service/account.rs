//! What people change about themselves.

use serde_json::json;

use super::Services;
use super::people::person_data;
use super::sign_in::Counted;
use crate::domain::audit::{Actor, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ProjectId, SessionId};
use crate::domain::preferences::{Preferences, Theme};
use crate::domain::role::Role;
use crate::domain::text::{FieldError, PersonName};
use crate::server::auth::passwords::{self, Password};
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::live::Signal;
use crate::server::zone::Zone;
use crate::server::{db, view};
use crate::wire::account::AccountView;

impl Services {
    /// The account of somebody who uses one of their sessions.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn account_page(&self, member: &Member, this: SessionId) -> ServiceResult<AccountView> {
        let reader = self.reader(member);
        let mut conn = self.pool.acquire().await?;
        let sessions = db::sessions::list(&mut conn, member.id, reader.now).await?;
        let chats = db::chat::accounts_of(&mut conn, member.id).await?;
        drop(conn);
        let linkable = self.linkable_platforms(member.project).await?;
        let mut account = view::account::account(member, this, sessions, chats, linkable, &reader);
        // Whoever decides nothing is told nothing.
        if member.role >= Role::Reviewer {
            let devices = self.push_devices(member).await?;
            let key = self.push_key().await?.ok().map(|key| key.public());
            account.push = Some(view::push::devices(devices, key, &reader));
        }
        Ok(account)
    }

    /// Gives somebody another name. What they decided before keeps the name that they had.
    ///
    /// # Errors
    /// If the name breaks a rule.
    pub async fn rename(&self, member: &Member, name: &str) -> ServiceResult<()> {
        let name = PersonName::parse(name.trim())?;
        if name.as_str() == member.name {
            return Ok(());
        }
        let mut tx = self.pool.begin().await?;
        db::accounts::set_name(&mut tx, member.id, &name).await?;
        let change = json!({"before": member.name, "after": name.as_str()});
        let data = json!({"reviewer_id": member.id.to_string(), "name": name.as_str(), "change": change});
        let kind = EventKind::PersonRenamed;
        let event = self.about_person(member.project, kind, data, member.actor(), Channel::web());
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Gives somebody another password and ends every session of theirs but the one they are using. `from` is the
    /// network address that asks.
    ///
    /// # Errors
    /// If the current password is wrong or the new one breaks a rule; after a few failures, how long to wait.
    pub async fn change_password(
        &self,
        member: &Member,
        this: SessionId,
        current: String,
        new: String,
        from: &str,
    ) -> ServiceResult<()> {
        // A session that somebody left open is no reason to let whoever finds it guess faster than at the door.
        let counted = Counted::new(&member.email, from);
        let new = Password::parse(new)?;
        let mut conn = self.pool.acquire().await?;
        self.heed_failures(&mut conn, &counted).await?;
        let before = db::people::password_hash_of(&mut conn, member.id).await?;
        drop(conn);
        let is_right = passwords::verify(&self.passwords, current, before.clone()).await?;
        let mut tx = self.pool.begin().await?;
        self.heed_failures_in_turn(&mut tx, &counted).await?;
        if !is_right {
            self.note_failure_of(&mut tx, &counted, member, from).await?;
            tx.commit().await?;
            return Err(ServiceError::WrongPassword);
        }
        // Nothing is held while a core is busy with the new one.
        drop(tx);
        let after = passwords::hash(&self.passwords, new).await?;
        let mut tx = self.pool.begin().await?;
        // Not if it was changed meanwhile, or the account was disabled.
        if !db::accounts::set_password(&mut tx, member.id, &before.unwrap_or_default(), &after).await? {
            return Err(ServiceError::WrongPassword);
        }
        db::sessions::end_all(&mut tx, member.id, Some(this)).await?;
        let kind = EventKind::PersonPasswordChanged;
        let data = person_data(member, json!({}));
        let event = self.about_person(member.project, kind, data, member.actor(), Channel::web());
        db::audit::append(&mut tx, &event).await?;
        self.commit_and_tell(tx, Signal::Person(member.id)).await
    }

    /// Gives somebody who lost theirs another password and ends every session of theirs. For whoever runs the server.
    ///
    /// # Errors
    /// If there is no such account that may act, or the password breaks a rule.
    pub async fn reset_password(
        &self,
        project: ProjectId,
        email: &str,
        new: String,
        actor: Actor,
        channel: Channel,
    ) -> ServiceResult<()> {
        let new = Password::parse(new)?;
        let member = self.person_behind(project, email).await?;
        let after = passwords::hash(&self.passwords, new).await?;
        let mut tx = self.pool.begin().await?;
        let before = db::people::password_hash_of(&mut tx, member.id).await?.ok_or(ServiceError::NotFound)?;
        if !db::accounts::set_password(&mut tx, member.id, &before, &after).await? {
            return Err(ServiceError::NotFound);
        }
        db::sessions::end_all(&mut tx, member.id, None).await?;
        let data = person_data(&member, json!({}));
        let event = self.about_person(project, EventKind::PersonPasswordChanged, data, actor, channel);
        db::audit::append(&mut tx, &event).await?;
        self.commit_and_tell(tx, Signal::Person(member.id)).await
    }

    /// Stores how somebody wants the pages to be. An empty time zone stands for the project's.
    ///
    /// # Errors
    /// If there is no such theme or time zone.
    pub async fn save_preferences(
        &self,
        member: &Member,
        theme: &str,
        shortcuts: bool,
        time_zone: &str,
    ) -> ServiceResult<()> {
        let wrong = || FieldError::invalid("theme", "must be system, light or dark.");
        let theme = Theme::from_text(theme).ok_or_else(wrong)?;
        let time_zone = match time_zone {
            "" => None,
            name if Zone::named(name).is_some() => Some(name.to_owned()),
            _ => {
                let text = "is not the IANA name of a time zone, such as Europe/Berlin or UTC.";
                return Err(FieldError::invalid("time_zone", text).into());
            }
        };
        let mut conn = self.pool.acquire().await?;
        let preferences = Preferences { theme, shortcuts, time_zone };
        Ok(db::accounts::set_preferences(&mut conn, member.id, &preferences).await?)
    }
}
