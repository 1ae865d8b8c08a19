//! The only code with SQL: functions over a connection that take and return domain types.
//!
//! Nothing here opens a transaction or knows a rule; a `where` clause repeats a guard of the domain so that the
//! database keeps it among several processes. Queries are checked against the schema when the crate is compiled.

pub mod actions;
pub mod audit;
pub mod decisions;
pub mod keys;
pub mod listing;
pub mod outbox;
pub mod people;
pub mod projects;
mod rows;
pub mod signals;
pub mod throttle;

use sqlx::migrate::Migrator;

/// The schema's history; sqlx applies it under an advisory lock, so that several servers may start at once.
pub static MIGRATOR: Migrator = sqlx::migrate!("./migrations");

/// What the database said.
pub type DbResult<T> = Result<T, sqlx::Error>;

/// A stored value that no version of this program writes.
fn corrupt(column: &'static str) -> sqlx::Error {
    sqlx::Error::Decode(format!("{column} holds a value that this program never writes").into())
}
