//! What the pages call on the server.
//!
//! Each function authenticates the reviewer, calls one service and maps the error; rules live in the service. A plain
//! form post is answered with a redirect to a page that shows the outcome, a call from the hydrated page with data.
//!
//! Public without a session: `current_door`, `sign_in`, `set_up`, `load_invitation`, `join`.

pub mod account;
pub mod actions;
pub mod channels;
pub mod connect;
pub mod history;
pub mod keys;
pub mod many;
pub mod people;
pub mod push;
pub mod session;
