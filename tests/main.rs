//! All tests that need more than one module: one binary, so that the crate is linked once.

mod delivery;
mod managed_postgres;
