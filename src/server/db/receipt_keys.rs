//! The keys that sign receipts. At most one signs; the others verify what they signed.

use sqlx::PgConnection;

use super::{DbResult, corrupt};
use crate::domain::Instant;
use crate::server::receipts::{PublicKey, SigningKey};

/// Every key that verifies, the one that signs last, and that one as a whole.
pub struct StoredKeys {
    /// The one that signs; none on a database where no server has started yet.
    pub signing: Option<SigningKey>,
    /// All of them.
    pub verifying: Vec<PublicKey>,
}

/// The keys of receipts, without withdrawn ones.
///
/// # Errors
/// If the database can't be reached or a key is corrupt.
pub async fn all(conn: &mut PgConnection) -> DbResult<StoredKeys> {
    let rows = sqlx::query!(
        "select kid, public_key, private_key from receipt_key where withdrawn_at is null
         order by retired_at, created_at, kid"
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
        if let Some(seed) = row.private_key {
            let key =
                SigningKey::stored(&seed, public.as_bytes()).ok_or(corrupt("receipt_key.private_key"))?;
            keys.signing = Some(key);
        }
        keys.verifying.push(public);
    }
    Ok(keys)
}

/// Stores a new key that signs, unless there is one already. Says whether it was stored.
///
/// # Errors
/// If the database can't be reached.
pub async fn insert(
    conn: &mut PgConnection,
    public: &PublicKey,
    seed: &[u8; 32],
    now: Instant,
) -> DbResult<bool> {
    let done = sqlx::query!(
        "insert into receipt_key (kid, public_key, private_key, created_at) values ($1, $2, $3, $4)
         on conflict do nothing",
        public.kid(),
        public.as_bytes().as_slice(),
        seed.as_slice(),
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

/// Ends the signing of the key that signs, and forgets its private part. Says which it was.
///
/// # Errors
/// If the database can't be reached.
pub async fn retire(conn: &mut PgConnection, now: Instant) -> DbResult<Option<String>> {
    sqlx::query_scalar!(
        "update receipt_key set retired_at = $1, private_key = null where retired_at is null returning kid",
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
