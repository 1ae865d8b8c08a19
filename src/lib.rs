//! Impri: an approval inbox for AI agents.
#![recursion_limit = "512"]
