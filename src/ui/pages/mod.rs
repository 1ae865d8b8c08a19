//! One file per page. A page loads its data once and hands it to parts.

pub mod action;
pub mod docs;
pub mod history;
pub mod inbox;
pub mod many;
pub mod not_found;
pub mod set_up;
pub mod sign_in;
