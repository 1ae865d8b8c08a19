//! Signals between servers: what `LISTEN` hears is what these statements send.
//!
//! `NOTIFY` takes a lock of the whole cluster at commit, so it is sent where people act; proposals are announced in
//! bundles, outside their transactions.

use sqlx::PgConnection;
use sqlx::postgres::PgListener;

use super::DbResult;

/// The channel that every server listens on.
pub const CHANNEL: &str = "impri";

/// Sends a signal when the transaction commits.
///
/// # Errors
/// If the database can't be reached.
pub async fn send(conn: &mut PgConnection, text: &str) -> DbResult<()> {
    sqlx::query!(r#"select pg_notify($1, $2) as "sent!: ()""#, CHANNEL, text).execute(conn).await?;
    Ok(())
}

/// Asks for an answer: whether the database is there.
///
/// # Errors
/// If it is not.
pub async fn ping(conn: &mut PgConnection) -> DbResult<()> {
    sqlx::query!(r#"select 1 as "one!""#).fetch_one(conn).await?;
    Ok(())
}

/// Has a connection that listens say that it does.
///
/// # Errors
/// If the database can't be reached.
pub async fn listen_on(listener: &mut PgListener) -> DbResult<()> {
    sqlx::query!("listen impri").execute(listener).await?;
    Ok(())
}
