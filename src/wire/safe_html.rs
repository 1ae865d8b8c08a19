//! HTML that may be put into a page as it is.

use serde::{Deserialize, Serialize};

/// HTML made and sanitised by the server's text renderers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SafeHtml(String);

impl SafeHtml {
    /// Takes HTML that was sanitised; only `server::text` calls this.
    pub(crate) fn trusted(html: String) -> Self {
        Self(html)
    }

    /// The HTML.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
