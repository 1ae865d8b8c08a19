//! Which accounts on chat platforms stand for whom: a code from the account page, sent to the bot from the account.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use time::Duration;
use uuid::Uuid;

use super::Services;
use super::chat::{ChatUser, decides};
use crate::domain::audit::{AuditEvent, EventKind};
use crate::domain::channel::ChannelKind;
use crate::domain::decision::Channel;
use crate::domain::ids::ProjectId;
use crate::domain::text::FieldError;
use crate::server::db::chat::ChatAccount;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::{db, random};

/// How long a code is good for.
const CODE_LIFE: Duration = Duration::minutes(10);
/// Letters and digits that nobody takes for others.
const LETTERS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/// Longest name of an account that is kept, in characters.
const NAME_MAX: usize = 200;

impl Services {
    /// The platforms with a channel from which people of a project decide.
    pub(super) async fn linkable_platforms(&self, project: ProjectId) -> ServiceResult<Vec<ChannelKind>> {
        let mut conn = self.pool.acquire().await?;
        let channels = db::channels::list(&mut conn, project).await?;
        let decide =
            |kind| channels.iter().any(|channel| channel.kind == kind && channel.enabled && decides(channel));
        Ok(ChannelKind::ALL.into_iter().filter(|kind| kind.keeps_messages_true() && decide(*kind)).collect())
    }

    /// Makes a code for a platform, as a form names it.
    ///
    /// # Errors
    /// If accounts are not linked there.
    pub async fn start_linking(&self, member: &Member, platform: &str) -> ServiceResult<String> {
        let kind = ChannelKind::from_text(platform).filter(|kind| kind.keeps_messages_true());
        let kind =
            kind.ok_or_else(|| FieldError::invalid("channel.type", "must be telegram, slack or discord."))?;
        self.make_chat_code(member, kind).await
    }

    /// Makes a code that links an account on a platform to the member, once and soon: 50 random bits.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn make_chat_code(&self, member: &Member, platform: ChannelKind) -> ServiceResult<String> {
        let letters = random::bytes::<10>().map(|byte| char::from(LETTERS[usize::from(byte % 32)]));
        let code: String = letters.iter().collect();
        let expires_at = self.clock.now() + CODE_LIFE;
        let mut tx = self.pool.begin().await?;
        db::chat::put_code(&mut tx, member.id, platform.as_str(), &digest(&code), expires_at).await?;
        tx.commit().await?;
        Ok(format!("{}-{}", &code[..5], &code[5..]))
    }

    /// Somebody sent a code from their account. Says to whom it belongs from now on; none if the code is not good.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn link_chat(
        &self,
        platform: ChannelKind,
        user: &ChatUser,
        code: &str,
    ) -> ServiceResult<Option<Member>> {
        let now = self.clock.now();
        let code: String = code
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_uppercase())
            .collect();
        let mut tx = self.pool.begin().await?;
        let person = db::chat::use_code(&mut tx, platform.as_str(), &digest(&code), now).await?;
        let member = match person {
            Some(person) => db::people::active_member(&mut tx, person).await?,
            None => None,
        };
        let Some(member) = member else { return Ok(None) };
        let account = ChatAccount {
            platform: platform.as_str().to_owned(),
            user: user.id.clone(),
            name: user.name.chars().filter(|letter| *letter != '\0').take(NAME_MAX).collect(),
            linked_at: now,
        };
        db::chat::link(&mut tx, member.id, &account).await?;
        let data = json!({"platform": account.platform, "platform_user": account.user, "name": account.name});
        let door = Channel::stored(platform.as_str().to_owned());
        db::audit::append(&mut tx, &about(&member, EventKind::ChatLinked, data, door, now)).await?;
        tx.commit().await?;
        Ok(Some(member))
    }

    /// The accounts that stand for the member.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn chat_accounts(&self, member: &Member) -> ServiceResult<Vec<ChatAccount>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::chat::accounts_of(&mut conn, member.id).await?)
    }

    /// Ends that an account stands for the member.
    ///
    /// # Errors
    /// If it does not.
    pub async fn unlink_chat(&self, member: &Member, platform: &str, user: &str) -> ServiceResult<()> {
        // What can't be stored is linked to nobody.
        if platform.contains('\0') || user.contains('\0') {
            return Err(ServiceError::NotFound);
        }
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        let name =
            db::chat::unlink(&mut tx, member.id, platform, user).await?.ok_or(ServiceError::NotFound)?;
        let data = json!({"platform": platform, "platform_user": user, "name": name});
        db::audit::append(&mut tx, &about(member, EventKind::ChatUnlinked, data, Channel::web(), now))
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Takes or keeps a connection to a platform for `life`; says how far its news were read. None if another server
    /// holds it.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn hold_connection(
        &self,
        name: &str,
        holder: Uuid,
        life: Duration,
    ) -> ServiceResult<Option<i64>> {
        let mut conn = self.pool.acquire().await?;
        // Not before there was a way to ask: what is held counts from now.
        let now = self.clock.now();
        Ok(db::chat::hold(&mut conn, name, holder, now, now + life).await?)
    }

    /// Stores how far the news of a connection were read, and keeps it for `life`. False if another server has it.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn advance_connection(
        &self,
        name: &str,
        holder: Uuid,
        cursor: i64,
        life: Duration,
    ) -> ServiceResult<bool> {
        let mut conn = self.pool.acquire().await?;
        let until = self.clock.now() + life;
        Ok(db::chat::advance(&mut conn, name, holder, cursor, until).await?)
    }

    /// Lets another server have a connection at once.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn let_connection_go(&self, name: &str, holder: Uuid) -> ServiceResult<()> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::chat::let_go(&mut conn, name, holder, self.clock.now()).await?)
    }
}

fn digest(code: &str) -> Vec<u8> {
    Sha256::digest(code.as_bytes()).to_vec()
}

fn about(
    member: &Member,
    kind: EventKind,
    data: serde_json::Value,
    channel: Channel,
    at: crate::domain::Instant,
) -> AuditEvent {
    AuditEvent { project: member.project, at, kind, action: None, actor: member.actor(), channel, data }
}
