//! The devices that people are told on: added by their owners, tried, and removed by them alone.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::json;
use sqlx::PgConnection;

use super::{Caller, Services};
use crate::domain::Instant;
use crate::domain::audit::{Actor, AuditEvent, EventKind};
use crate::domain::decision::Channel;
use crate::domain::ids::{ProjectId, PushDeviceId};
use crate::domain::role::Role;
use crate::domain::text::FieldError;
use crate::server::db::people::Member;
use crate::server::db::push::{FoundDevice, NewDevice, Owner, StoredDevice, Subscription};
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::notify::push;
use crate::server::{db, random};

/// Most devices of one person or program.
const DEVICES_MAX: usize = 20;
/// Longest address of a push service.
const ENDPOINT_MAX: usize = 2_000;

/// What browsers give is base64url without padding; some clients pad it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::URL_SAFE,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What a browser says about its subscription, as it was sent.
#[derive(Debug, Clone, Default)]
pub struct SentSubscription {
    /// Where its push service listens.
    pub endpoint: String,
    /// Its public key.
    pub p256dh: String,
    /// The secret that it shares.
    pub auth: String,
}

impl Services {
    /// The devices of a member.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn push_devices(&self, member: &Member) -> ServiceResult<Vec<StoredDevice>> {
        let mut conn = self.pool.acquire().await?;
        Ok(db::push::of_owner(&mut conn, Owner::Person(member.id)).await?)
    }

    /// Tells a member on one more device, which is called `name`.
    ///
    /// # Errors
    /// If the member decides nothing, what was sent is no subscription that this server may write to, there are too many, or it keeps no secrets.
    pub async fn add_push_device(
        &self,
        member: &Member,
        sent: &SentSubscription,
        hides_content: bool,
        name: &str,
    ) -> ServiceResult<()> {
        member.require(Role::Reviewer)?;
        let owner = Owner::Person(member.id);
        self.put_device(member.project, owner, sent, hides_content, (name, member.actor(), Channel::web()))
            .await
    }

    /// Tells a program that decides on one more device.
    ///
    /// # Errors
    /// As [`Services::add_push_device`].
    pub async fn subscribe_key(&self, caller: &Caller, sent: &SentSubscription) -> ServiceResult<()> {
        let (owner, name) = (Owner::Key(caller.key), format!("Key {}", caller.name));
        let name: String = name.chars().take(100).collect();
        self.put_device(caller.project, owner, sent, false, (&name, caller.actor(), Channel::api())).await
    }

    /// Forgets what a program registered. What others registered stays, and nobody learns whether there is any.
    ///
    /// # Errors
    /// If no endpoint was sent.
    pub async fn unsubscribe_key(&self, caller: &Caller, endpoint: &str) -> ServiceResult<()> {
        if endpoint.is_empty() {
            return Err(
                FieldError::required("endpoint", "is required: the address of the subscription.").into()
            );
        }
        let (owner, now) = (Owner::Key(caller.key), self.clock.now());
        // What can't be stored is nobody's.
        if endpoint.contains('\0') {
            return Ok(());
        }
        let mut tx = self.pool.begin().await?;
        let found = db::push::with_endpoint(&mut tx, endpoint).await?;
        let Some(device) = found.filter(|device| device.owner == owner) else { return Ok(()) };
        forget(&mut tx, &device, (caller.actor(), Channel::api()), now).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Stores a device of an owner, whose endpoint may have been another one's.
    async fn put_device(
        &self,
        project: ProjectId,
        owner: Owner,
        sent: &SentSubscription,
        hides_content: bool,
        (name, actor, door): (&str, Actor, Channel),
    ) -> ServiceResult<()> {
        let subscription = self.subscription(sent)?;
        if let Err(error) = self.push_key().await? {
            return Err(FieldError::invalid("secrets", format!("can't be stored: {error}.")).into());
        }
        let now = self.clock.now();
        let mut tx = self.pool.begin().await?;
        db::push::lock_owner(&mut tx, owner).await?;
        let found = db::push::with_endpoint(&mut tx, &subscription.endpoint).await?;
        let is_new = found.as_ref().is_none_or(|device| device.owner != owner);
        if is_new && db::push::of_owner(&mut tx, owner).await?.len() >= DEVICES_MAX {
            let text = format!("there are {DEVICES_MAX} devices already: remove one first.");
            return Err(FieldError::invalid("endpoint", text).into());
        }
        if let Some(device) = found.filter(|device| device.owner != owner) {
            // It is theirs from now on if it is the same browser, which alone knows its secret; but what a person switched
            // on for themselves is no program's.
            if device.auth != subscription.auth
                || matches!((device.owner, owner), (Owner::Person(_), Owner::Key(_)))
            {
                return Err(ServiceError::EndpointTaken);
            }
            // Nobody of another project is named there.
            let by = if device.project == project { actor.clone() } else { Actor::Anonymous };
            forget(&mut tx, &device, (by, door.clone()), now).await?;
        }
        let id = PushDeviceId::from_uuid(random::uuid(now));
        let device = NewDevice { id, project, owner, name, subscription: &subscription, hides_content };
        // None if another one came first in this moment.
        let id = db::push::put(&mut tx, &device, now).await?.ok_or(ServiceError::EndpointTaken)?;
        if is_new {
            let data = json!({"device_id": id.to_string(), "name": name});
            let kind = EventKind::DeviceAdded;
            let event = AuditEvent { project, at: now, kind, action: None, actor, channel: door, data };
            db::audit::append(&mut tx, &event).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Says whether a device of a member shows content.
    ///
    /// # Errors
    /// If it is not theirs, or they decide nothing.
    pub async fn hide_push_content(&self, member: &Member, id: &str, hides: bool) -> ServiceResult<()> {
        member.require(Role::Reviewer)?;
        let mut conn = self.pool.acquire().await?;
        match db::push::set_hides_content(&mut conn, Owner::Person(member.id), parse(id)?, hides).await? {
            true => Ok(()),
            false => Err(ServiceError::NotFound),
        }
    }

    /// Has a device of a member show that it works.
    ///
    /// # Errors
    /// If it is not theirs, they decide nothing, or its push service did not take the test.
    pub async fn test_push_device(&self, member: &Member, id: &str) -> ServiceResult<()> {
        member.require(Role::Reviewer)?;
        let id = parse(id)?;
        if !self.push_devices(member).await?.iter().any(|device| device.id == id) {
            return Err(ServiceError::NotFound);
        }
        let tried = self.try_push(id).await?;
        tried.map_err(|reason| FieldError::invalid("push.test", format!("did not arrive: {reason}.")).into())
    }

    /// Forgets a device of a member.
    ///
    /// # Errors
    /// If it is not theirs.
    pub async fn remove_push_device(&self, member: &Member, id: &str) -> ServiceResult<()> {
        let (id, now) = (parse(id)?, self.clock.now());
        let mut tx = self.pool.begin().await?;
        let removed = db::push::remove(&mut tx, Owner::Person(member.id), id, now).await?;
        let name = removed.ok_or(ServiceError::NotFound)?;
        let event = AuditEvent {
            project: member.project,
            at: now,
            kind: EventKind::DeviceRemoved,
            action: None,
            actor: member.actor(),
            channel: Channel::web(),
            data: json!({"device_id": id.to_string(), "name": name}),
        };
        db::audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(())
    }

    /// What was sent, checked: an https address where this server may write, and keys that something can be encrypted for.
    fn subscription(&self, sent: &SentSubscription) -> ServiceResult<Subscription> {
        let mut errors = Vec::new();
        let endpoint = sent.endpoint.as_str();
        if endpoint.is_empty() || endpoint.len() > ENDPOINT_MAX {
            let text = format!("must be an https address of up to {ENDPOINT_MAX} characters.");
            errors.push(FieldError::invalid("endpoint", text));
        } else if let Err(reason) = push::allows(self.platforms.guarded(), endpoint) {
            errors.push(FieldError::invalid("endpoint", format!("can't be written to: {reason}.")));
        }
        let mut bytes = |field: &str, text: &str, length: usize| -> Vec<u8> {
            let decoded = BASE64.decode(text.trim()).ok().filter(|decoded| decoded.len() == length);
            decoded.unwrap_or_else(|| {
                let text = format!("must be {length} bytes in base64url, as the browser gives it.");
                errors.push(FieldError::invalid(field, text));
                Vec::new()
            })
        };
        let p256dh = bytes("keys.p256dh", &sent.p256dh, push::PUBLIC_KEY);
        let auth = bytes("keys.auth", &sent.auth, push::AUTH);
        if errors.is_empty() && push::encrypt(b"", &p256dh, &auth).is_err() {
            errors.push(FieldError::invalid("keys.p256dh", "must be a point of the curve P-256."));
        }
        match errors.is_empty() {
            true => Ok(Subscription { endpoint: endpoint.to_owned(), p256dh, auth }),
            false => Err(ServiceError::Invalid(errors)),
        }
    }
}

/// Forgets a device, and notes by whom.
async fn forget(
    conn: &mut PgConnection,
    device: &FoundDevice,
    (actor, channel): (Actor, Channel),
    now: Instant,
) -> ServiceResult<()> {
    let (project, kind) = (device.project, EventKind::DeviceRemoved);
    db::push::remove(conn, device.owner, device.id, now).await?;
    let data = json!({"device_id": device.id.to_string(), "name": device.name});
    let event = AuditEvent { project, at: now, kind, action: None, actor, channel, data };
    Ok(db::audit::append(conn, &event).await?)
}

fn parse(id: &str) -> ServiceResult<PushDeviceId> {
    id.parse().map_err(|_| ServiceError::NotFound)
}
