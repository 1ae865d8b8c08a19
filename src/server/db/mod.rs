//! The only code with SQL: functions over a connection that take and return domain types.
//!
//! Nothing here opens a transaction or knows a rule; a `where` clause repeats a guard of the domain so that the
//! database keeps it among several processes. Queries are checked against the schema when the crate is compiled.

pub mod accounts;
pub mod actions;
pub mod arrivals;
pub mod audit;
pub mod chain;
pub mod channel_messages;
pub mod channels;
pub mod chat;
pub mod chat_calls;
pub mod checkpoints;
pub mod context;
pub mod decisions;
pub mod erasure;
pub mod expiring;
pub mod facts;
pub mod finding;
pub mod invites;
pub mod keys;
pub mod listing;
pub mod outbox;
pub mod people;
pub mod projects;
pub mod push;
pub mod receipt_keys;
pub mod receivers;
mod rows;
pub mod seals;
pub mod sessions;
pub mod setup;
pub mod signals;
pub mod throttle;
pub mod usage;

use sqlx::migrate::Migrator;
use sqlx::{Executor as _, PgConnection};

/// The schema's history; sqlx applies it under an advisory lock, so that several servers may start at once.
pub static MIGRATOR: Migrator = sqlx::migrate!("./migrations");

/// What the database said.
pub type DbResult<T> = Result<T, sqlx::Error>;

/// Has every statement of a connection planned once and not for its values: each has one good plan, planning takes
/// longer than running, and what Postgres guesses of the values is wrong (few actions wait, and just those end late).
///
/// # Errors
/// If the database can't be reached.
pub async fn plan_once(conn: &mut PgConnection) -> DbResult<()> {
    conn.execute("set plan_cache_mode = force_generic_plan").await?;
    Ok(())
}

/// A stored value that no version of this program writes.
fn corrupt(column: &'static str) -> sqlx::Error {
    sqlx::Error::Decode(format!("{column} holds a value that this program never writes").into())
}

/// JSON as a query sends it: as text, cast in the query. Bound as a value it would pass through `jsonb`, which orders
/// keys and rewrites numbers.
fn json_text(value: &serde_json::Value) -> String {
    value.to_string()
}
