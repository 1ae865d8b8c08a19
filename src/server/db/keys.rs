//! API keys: stored as digests, found by digest.

use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::domain::ids::{KeyId, ProjectId};
use crate::domain::scope::{Scope, Scopes};

/// A stored key, without the key.
#[derive(Debug, Clone)]
pub struct StoredKey {
    /// Its name in the API.
    pub id: KeyId,
    /// Its project.
    pub project: ProjectId,
    /// Its name for people.
    pub name: String,
    /// The first 16 characters of the key.
    pub prefix: String,
    /// What it may do.
    pub scopes: Scopes,
    /// When it was made.
    pub created_at: Instant,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Instant>,
    /// From this instant on it is refused.
    pub expires_at: Option<Instant>,
    /// When it was revoked.
    pub revoked_at: Option<Instant>,
}

struct KeyRow {
    api_key_id: sqlx::types::Uuid,
    project_id: sqlx::types::Uuid,
    name: String,
    prefix: String,
    scopes: Vec<String>,
    created_at: Instant,
    last_used_at: Option<Instant>,
    expires_at: Option<Instant>,
    revoked_at: Option<Instant>,
}

impl KeyRow {
    fn into_key(self) -> DbResult<StoredKey> {
        let scopes: Option<Vec<Scope>> = self.scopes.iter().map(|text| Scope::from_text(text)).collect();
        Ok(StoredKey {
            id: KeyId::from_uuid(self.api_key_id),
            project: ProjectId::from_uuid(self.project_id),
            name: self.name,
            prefix: self.prefix,
            scopes: scopes.and_then(Scopes::new).ok_or(corrupt("api_key.scopes"))?,
            created_at: self.created_at,
            last_used_at: self.last_used_at,
            expires_at: self.expires_at,
            revoked_at: self.revoked_at,
        })
    }
}

/// The key with this digest, revoked and expired ones included.
///
/// # Errors
/// If the database can't be reached or the row is corrupt.
pub async fn by_digest(conn: &mut PgConnection, sha256: &[u8; 32]) -> DbResult<Option<StoredKey>> {
    let row = sqlx::query_as!(
        KeyRow,
        "select api_key_id, project_id, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at
         from api_key where key_sha256 = $1",
        sha256.as_slice(),
    );
    row.fetch_optional(conn).await?.map(KeyRow::into_key).transpose()
}

/// Every key of a project, oldest first.
///
/// # Errors
/// As [`by_digest`].
pub async fn list(conn: &mut PgConnection, project: ProjectId) -> DbResult<Vec<StoredKey>> {
    let rows = sqlx::query_as!(
        KeyRow,
        "select api_key_id, project_id, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at
         from api_key where project_id = $1 order by created_at, api_key_id",
        project.uuid(),
    );
    rows.fetch_all(conn).await?.into_iter().map(KeyRow::into_key).collect()
}

/// Stores a new key by its digest.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(conn: &mut PgConnection, key: &StoredKey, sha256: &[u8; 32]) -> DbResult<()> {
    let scopes: Vec<String> = key.scopes.iter().map(|scope| scope.as_str().to_owned()).collect();
    sqlx::query!(
        "insert into api_key (api_key_id, project_id, name, prefix, key_sha256, scopes, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        key.id.uuid(),
        key.project.uuid(),
        key.name,
        key.prefix,
        sha256.as_slice(),
        &scopes,
        key.created_at,
        key.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes a key; says which, or nothing if there is no such key or it was revoked before.
///
/// # Errors
/// As [`by_digest`].
pub async fn revoke(
    conn: &mut PgConnection,
    project: ProjectId,
    id: KeyId,
    now: Instant,
) -> DbResult<Option<StoredKey>> {
    let row = sqlx::query_as!(
        KeyRow,
        "update api_key set revoked_at = $3
         where api_key_id = $1 and project_id = $2 and revoked_at is null
         returning api_key_id, project_id, name, prefix, scopes, created_at, last_used_at, expires_at, revoked_at",
        id.uuid(),
        project.uuid(),
        now,
    );
    row.fetch_optional(conn).await?.map(KeyRow::into_key).transpose()
}

/// Whether a key is not revoked, for as long as the transaction lasts: who revokes it meanwhile waits for its end.
///
/// # Errors
/// As [`by_digest`].
pub async fn hold(conn: &mut PgConnection, id: KeyId) -> DbResult<bool> {
    let found = sqlx::query_scalar!(
        r#"select 1 as "one!" from api_key where api_key_id = $1 and revoked_at is null for share"#,
        id.uuid(),
    );
    Ok(found.fetch_optional(conn).await?.is_some())
}

/// Whether a project has a key that may do everything and is neither revoked nor past its end, other than `except`.
///
/// # Errors
/// If the database can't be reached.
pub async fn another_admin(
    conn: &mut PgConnection,
    project: ProjectId,
    except: Option<KeyId>,
    now: Instant,
) -> DbResult<bool> {
    sqlx::query_scalar!(
        r#"select exists (
             select from api_key
             where project_id = $1 and 'admin' = any(scopes) and revoked_at is null
               and (expires_at is null or expires_at > $3) and api_key_id is distinct from $2)
           as "any!""#,
        project.uuid(),
        except.map(KeyId::uuid),
        now,
    )
    .fetch_one(conn)
    .await
}

/// Notes that a key was used, if the last note is older than a minute.
///
/// # Errors
/// If the database can't be reached.
pub async fn note_used(conn: &mut PgConnection, id: KeyId, now: Instant) -> DbResult<()> {
    sqlx::query!(
        "update api_key set last_used_at = $2
         where api_key_id = $1 and (last_used_at is null or last_used_at < $2::timestamptz - interval '60 seconds')",
        id.uuid(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
