//! What leaves the house: the outbox worker and one file per channel.
//!
//! Rows are written by services in the transaction of their cause; this room only sends them.

pub mod callback;
