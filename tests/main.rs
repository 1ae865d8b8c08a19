//! All tests that need more than one module: one binary, so that the crate is linked once.

mod api_claiming;
mod api_deciding;
mod api_keys;
mod api_proposing;
mod api_reading;
mod api_repeating;
mod api_reporting;
mod api_waiting;
mod delivery;
mod doors;
mod expiry;
mod house;
mod managed_postgres;
mod pages;
mod pages_card;
mod pages_history;
mod pages_untrusted;
mod people;
mod race;
mod restart;
mod seeds;
mod serving;
mod set_up;
mod support;
