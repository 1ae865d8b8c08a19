//! The keys that sign receipts. At most one signs; the others verify what they signed.

use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::server::kept::StoredSecret;
use crate::server::receipts::PublicKey;

/// The key that signs.
pub struct StoredSigningKey {
    /// The part that everybody may know.
    pub public: PublicKey,
    /// The seed of the other part, as base64.
    pub secret: StoredSecret,
}

/// Every key that verifies, the one that signs last, and that one as a whole.
pub struct StoredKeys {
    /// The one that signs; none on a database where no server has started yet.
    pub signing: Option<StoredSigningKey>,
    /// All of them.
    pub verifying: Vec<PublicKey>,
}

/// The keys of receipts, without withdrawn ones.
///
/// # Errors
/// If the database can't be reached or a key is corrupt.
pub async fn all(conn: &mut PgConnection) -> DbResult<StoredKeys> {
    let rows = sqlx::query!(
        "select kid, public_key, sealed_key as sealed, encode(private_key, 'base64') as clear from receipt_key
         where withdrawn_at is null order by retired_at, created_at, kid"
    )
    .fetch_all(conn)
    .await?;
    let mut keys = StoredKeys { signing: None, verifying: Vec::with_capacity(rows.len()) };
    for row in rows {
        let bytes = row.public_key.try_into().map_err(|_| corrupt("receipt_key.public_key"))?;
        let public = PublicKey::new(bytes);
        if public.kid() != row.kid {
            return Err(corrupt("receipt_key.kid"));
        }
        if let Some(secret) = StoredSecret::of(row.sealed, row.clear) {
            keys.signing = Some(StoredSigningKey { public: public.clone(), secret });
        }
        keys.verifying.push(public);
    }
    Ok(keys)
}

/// Stores a new key that signs, its private part sealed, unless there is one already. Says whether it was stored.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(
    conn: &mut PgConnection,
    public: &PublicKey,
    sealed: &str,
    now: Instant,
) -> DbResult<bool> {
    let done = sqlx::query!(
        "insert into receipt_key (kid, public_key, sealed_key, created_at) values ($1, $2, $3, $4)
         on conflict do nothing",
        public.kid(),
        public.as_bytes().as_slice(),
        sealed,
        now,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Keeps every other change of the keys out until the transaction ends.
///
/// # Errors
/// If the database can't be reached.
pub async fn lock(conn: &mut PgConnection) -> DbResult<()> {
    sqlx::query!("lock table receipt_key in exclusive mode").execute(conn).await?;
    Ok(())
}

/// Stores the private part of the key that signs, sealed anew.
///
/// # Errors
/// If the database can't be reached.
pub async fn reseal(conn: &mut PgConnection, kid: &str, sealed: &str) -> DbResult<()> {
    sqlx::query!(
        "update receipt_key set sealed_key = $2, private_key = null where kid = $1 and retired_at is null",
        kid,
        sealed,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends the signing of the key that signs, and forgets its private part. Says which it was.
///
/// # Errors
/// If the database can't be reached.
pub async fn retire(conn: &mut PgConnection, now: Instant) -> DbResult<Option<String>> {
    sqlx::query_scalar!(
        "update receipt_key set retired_at = $1, private_key = null, sealed_key = null where retired_at is null
         returning kid",
        now,
    )
    .fetch_optional(conn)
    .await
}

/// What withdrawing a key found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawal {
    /// It is withdrawn now.
    Done,
    /// There is no such key, or it was withdrawn before.
    Unknown,
    /// It is the one that signs.
    StillSigns,
}

/// Withdraws a key that signs no more.
///
/// # Errors
/// If the database can't be reached.
pub async fn withdraw(conn: &mut PgConnection, kid: &str, now: Instant) -> DbResult<Withdrawal> {
    let signs = sqlx::query_scalar!(
        r#"select retired_at is null as "signs!" from receipt_key where kid = $1 and withdrawn_at is null"#,
        kid,
    )
    .fetch_optional(&mut *conn)
    .await?;
    match signs {
        None => return Ok(Withdrawal::Unknown),
        Some(true) => return Ok(Withdrawal::StillSigns),
        Some(false) => {}
    }
    sqlx::query!("update receipt_key set withdrawn_at = $2 where kid = $1", kid, now).execute(conn).await?;
    Ok(Withdrawal::Done)
}
