//! Devices that are told by web push, and the key that their push services know this server by.

mod telling;

use sqlx::PgConnection;
use sqlx::types::Uuid;

pub use self::telling::*;
use super::DbResult;
use crate::domain::Instant;
use crate::domain::ids::{KeyId, ProjectId, PushDeviceId, ReviewerId};

/// The stored key: its id, and its private part as it was sealed.
#[derive(Debug, Clone)]
pub struct StoredPushKey {
    /// What the seal is bound to.
    pub id: Uuid,
    /// The private part.
    pub sealed: String,
}

/// The key; none before the first start.
///
/// # Errors
/// If the database can't be reached.
pub async fn key(conn: &mut PgConnection) -> DbResult<Option<StoredPushKey>> {
    sqlx::query_as!(StoredPushKey, "select push_key_id as id, sealed from push_key")
        .fetch_optional(conn)
        .await
}

/// Stores the key, unless there is one.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert_key(conn: &mut PgConnection, id: Uuid, sealed: &str, now: Instant) -> DbResult<()> {
    sqlx::query!(
        "insert into push_key (push_key_id, sealed, created_at) values ($1, $2, $3) on conflict (is_the_one) do nothing",
        id,
        sealed,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores the key's private part, sealed anew.
///
/// # Errors
/// If the database can't be reached.
pub async fn reseal_key(conn: &mut PgConnection, id: Uuid, sealed: &str) -> DbResult<()> {
    sqlx::query!("update push_key set sealed = $2 where push_key_id = $1", id, sealed).execute(conn).await?;
    Ok(())
}

/// Whose a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// A person's.
    Person(ReviewerId),
    /// A program's that decides.
    Key(KeyId),
}

impl Owner {
    fn columns(self) -> (Option<Uuid>, Option<Uuid>) {
        match self {
            Self::Person(id) => (Some(id.uuid()), None),
            Self::Key(id) => (None, Some(id.uuid())),
        }
    }
}

/// Has this transaction wait for others that change how many devices an owner has.
///
/// # Errors
/// If the database can't be reached.
pub async fn lock_owner(conn: &mut PgConnection, owner: Owner) -> DbResult<()> {
    let (person, key) = owner.columns();
    let subject = format!("push_device {}", person.or(key).unwrap_or_default());
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended($1, 0))", subject).execute(conn).await?;
    Ok(())
}

/// Where a browser's push service listens, and what only that browser can read.
#[derive(Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The address. Whoever has it and this server's key can write to the browser.
    pub endpoint: String,
    /// The browser's public key.
    pub p256dh: Vec<u8>,
    /// The secret that it shares with us.
    pub auth: Vec<u8>,
}

/// A device to be told.
pub struct NewDevice<'a> {
    /// Its id, if it was not there before.
    pub id: PushDeviceId,
    /// In which project.
    pub project: ProjectId,
    /// Whose it is.
    pub owner: Owner,
    /// What it is called.
    pub name: &'a str,
    /// How it is reached.
    pub subscription: &'a Subscription,
    /// Whether it says only that something waits.
    pub hides_content: bool,
}

/// Stores a device. One of the same owner with the same endpoint is the same device; none if the endpoint is somebody
/// else's.
///
/// # Errors
/// If the database can't be reached.
pub async fn put(
    conn: &mut PgConnection,
    device: &NewDevice<'_>,
    now: Instant,
) -> DbResult<Option<PushDeviceId>> {
    let (person, key) = device.owner.columns();
    let id = sqlx::query_scalar!(
        "insert into push_device as d (push_device_id, project_id, reviewer_id, api_key_id, name, endpoint, p256dh, auth,
           hides_content, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (endpoint) where gone_at is null do update set project_id = excluded.project_id,
           name = excluded.name, p256dh = excluded.p256dh, auth = excluded.auth,
           hides_content = excluded.hides_content, fail_count = 0, last_error = null
         where d.reviewer_id is not distinct from excluded.reviewer_id
           and d.api_key_id is not distinct from excluded.api_key_id
         returning push_device_id",
        device.id.uuid(),
        device.project.uuid(),
        person,
        key,
        device.name,
        device.subscription.endpoint,
        device.subscription.p256dh,
        device.subscription.auth,
        device.hides_content,
        now,
    )
    .fetch_optional(conn)
    .await?;
    Ok(id.map(PushDeviceId::from_uuid))
}

/// A device as whoever brings the same endpoint finds it.
pub struct FoundDevice {
    /// Its id.
    pub id: PushDeviceId,
    /// In which project.
    pub project: ProjectId,
    /// Whose it is.
    pub owner: Owner,
    /// What it is called.
    pub name: String,
    /// What only that browser and whoever it told have.
    pub auth: Vec<u8>,
}

/// The device with an endpoint, held until the transaction ends.
///
/// # Errors
/// If the database can't be reached.
pub async fn with_endpoint(conn: &mut PgConnection, endpoint: &str) -> DbResult<Option<FoundDevice>> {
    let row = sqlx::query!(
        r#"select push_device_id, project_id, reviewer_id, api_key_id, name, auth as "auth!" from push_device
           where endpoint = $1 and gone_at is null for update"#,
        endpoint,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.and_then(|row| {
        let person = row.reviewer_id.map(|id| Owner::Person(ReviewerId::from_uuid(id)));
        let owner = person.or(row.api_key_id.map(|id| Owner::Key(KeyId::from_uuid(id))))?;
        let (id, project) =
            (PushDeviceId::from_uuid(row.push_device_id), ProjectId::from_uuid(row.project_id));
        Some(FoundDevice { id, project, owner, name: row.name, auth: row.auth })
    }))
}

/// A device as its owner sees it.
#[derive(Debug, Clone)]
pub struct StoredDevice {
    /// Its id.
    pub id: PushDeviceId,
    /// What it is called.
    pub name: String,
    /// Where its push service listens.
    pub endpoint: String,
    /// Whether it says only that something waits.
    pub hides_content: bool,
    /// Since when.
    pub created_at: Instant,
    /// When its push service last took something.
    pub last_told_at: Option<Instant>,
    /// Why it did not since.
    pub last_error: Option<String>,
}

/// The devices of an owner, the oldest first.
///
/// # Errors
/// If the database can't be reached.
pub async fn of_owner(conn: &mut PgConnection, owner: Owner) -> DbResult<Vec<StoredDevice>> {
    let (person, key) = owner.columns();
    let rows = sqlx::query!(
        r#"select push_device_id, name, endpoint as "endpoint!", hides_content, created_at, last_told_at, last_error
           from push_device
           where gone_at is null and (reviewer_id = $1 or api_key_id = $2)
           order by created_at, push_device_id"#,
        person,
        key,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| StoredDevice {
            id: PushDeviceId::from_uuid(row.push_device_id),
            name: row.name,
            endpoint: row.endpoint,
            hides_content: row.hides_content,
            created_at: row.created_at,
            last_told_at: row.last_told_at,
            last_error: row.last_error,
        })
        .collect())
}

/// Says whether a device of this owner shows content; false if it is not theirs.
///
/// # Errors
/// If the database can't be reached.
pub async fn set_hides_content(
    conn: &mut PgConnection,
    owner: Owner,
    id: PushDeviceId,
    hides: bool,
) -> DbResult<bool> {
    let (person, key) = owner.columns();
    let done = sqlx::query!(
        "update push_device set hides_content = $4
         where push_device_id = $1 and gone_at is null and (reviewer_id = $2 or api_key_id = $3)",
        id.uuid(),
        person,
        key,
        hides,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Forgets a device of this owner; its name, or none if it is not theirs.
///
/// # Errors
/// If the database can't be reached.
pub async fn remove(
    conn: &mut PgConnection,
    owner: Owner,
    id: PushDeviceId,
    now: Instant,
) -> DbResult<Option<String>> {
    let (person, key) = owner.columns();
    sqlx::query_scalar!(
        "update push_device set gone_at = $4, endpoint = null, p256dh = null, auth = null
         where push_device_id = $1 and gone_at is null and (reviewer_id = $2 or api_key_id = $3)
         returning name",
        id.uuid(),
        person,
        key,
        now,
    )
    .fetch_optional(conn)
    .await
}
