//! The public JSON of the agent API.
