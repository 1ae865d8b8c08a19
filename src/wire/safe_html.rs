//! HTML that the server has made from untrusted text and vouches for.
//!
//! Owns one type and its one promise: whoever holds a [`SafeHtml`] may insert it into a page as it is. It must
//! not know how the promise is kept; that is the server's text module. The browser gets values by
//! deserialising what its own server sent, so this type must never be part of a *request*.
use serde::{Deserialize, Serialize};

/// Markup that may be inserted into a page unescaped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SafeHtml(String);

impl SafeHtml {
    /// Vouches for `html`. To be called by the server's text module only: it is the one place that escapes,
    /// builds and sanitises markup, and a second caller would be a second place to get that wrong.
    pub fn trusted(html: String) -> Self {
        Self(html)
    }

    /// Returns the markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
