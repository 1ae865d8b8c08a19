//! The API's description as the page shows it: already in words.

use serde::{Deserialize, Serialize};

use super::safe_html::SafeHtml;

/// Everything on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocsView {
    /// What the API is about.
    pub about: SafeHtml,
    /// The origin that calls go to.
    pub origin: String,
    /// The calls, by what they are about.
    pub groups: Vec<CallGroup>,
    /// The objects that calls send and answer.
    pub objects: Vec<ObjectDocs>,
}

/// Calls about one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallGroup {
    /// What they are about.
    pub name: String,
    /// The same in a sentence.
    pub about: String,
    /// The calls.
    pub calls: Vec<CallDocs>,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallDocs {
    /// For links to it.
    pub id: String,
    /// `GET`, `POST`, …
    pub method: String,
    /// With `{id}` where an id goes.
    pub path: String,
    /// What it does, in a few words.
    pub summary: String,
    /// The same at length, if there is more to say.
    pub text: Option<SafeHtml>,
    /// Any of these lets a key call it; none is needed if empty.
    pub scopes: Vec<String>,
    /// What goes into the address and the headers.
    pub params: Vec<FieldDocs>,
    /// The object that is sent.
    pub sends: Option<String>,
    /// What comes back.
    pub answers: Vec<AnswerDocs>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerDocs {
    /// The HTTP status.
    pub status: String,
    /// When.
    pub text: SafeHtml,
    /// The object that is answered.
    pub object: Option<String>,
}

/// An object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectDocs {
    /// Its name.
    pub name: String,
    /// What it is.
    pub text: Option<SafeHtml>,
    /// Its members.
    pub fields: Vec<FieldDocs>,
    /// If it is a word: which.
    pub words: Vec<String>,
}

/// A member or a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldDocs {
    /// Its name.
    pub name: String,
    /// Its type in words, with its limits.
    pub kind: String,
    /// The object that this is one of, or a list of.
    pub object: Option<String>,
    /// Whether it can't be left out.
    pub required: bool,
    /// What it means.
    pub text: Option<SafeHtml>,
}
