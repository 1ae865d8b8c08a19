//! One file per page. A page loads its data once and hands it to parts.

pub mod account;
pub mod action;
pub mod channels;
pub mod connect;
pub mod docs;
pub mod history;
pub mod inbox;
pub mod join;
pub mod keys;
pub mod many;
pub mod not_found;
pub mod people;
pub mod report;
pub mod second_look;
pub mod set_up;
pub mod sign_in;
