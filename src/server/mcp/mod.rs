//! The tools that agents reach by the Model Context Protocol: propose, wait, claim, report, withdraw, look around.
//!
//! One implementation with two doors: [`stdio`] for a host that starts `impri mcp` beside itself, and [`http`] at
//! `/mcp` of the server. Both call the REST API, the one over the network and the other in this process, so that
//! every rule is the REST API's and none is here. There is no tool that decides, whatever the key may do. No type of
//! the protocol's library leaves this folder.

mod answers;
mod arguments;
mod catalogue;
mod client;
mod handler;
mod hold;
pub mod http;
mod refusals;
mod repeats;
mod road;
mod schema;
mod seen;
pub mod stdio;
mod tools;
mod untrusted;
mod wait;
mod words;
