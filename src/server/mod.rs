//! The server: everything that may block, fail or cost.
//!
//! Doors ([`http`], [`door`] for the pages) authenticate and render; [`service`] decides and owns transactions;
//! [`db`] holds the SQL; [`receipts`] signs and verifies; [`proof`] checks a sealed history;
//! [`secrets`] seals what the database must not see, which [`kept`] lists; [`live`] and [`notify`] carry what happened to those
//! who wait; [`trouble`] says in plain words why a host was not reached.

pub mod auth;
pub mod checkpoint_file;
pub mod clock;
pub mod config;
pub mod db;
pub mod door;
pub mod error;
pub mod http;
pub mod kept;
pub mod live;
pub mod mcp;
pub mod metrics;
pub mod notify;
pub mod postgres;
pub mod proof;
pub mod random;
pub mod receipts;
pub mod secrets;
pub mod service;
pub mod text;
pub mod trouble;
pub mod view;
pub mod zone;
