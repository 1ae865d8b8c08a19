//! All tests that need more than one module: one binary, so that the crate is linked once.

mod api_deciding;
mod api_keys;
mod api_proposing;
mod api_reading;
mod api_reporting;
mod api_waiting;
mod managed_postgres;
mod support;
