//! What was typed into a form that could not be taken as it was, on its way back into the form.

use std::collections::{HashMap, HashSet};

/// The texts of a form by the names of its fields. Of what is secret only that there was something is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    texts: HashMap<String, String>,
    secrets: HashSet<String>,
}

impl Typed {
    /// What was posted, without the texts that `is_secret` names.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>, is_secret: impl Fn(&str) -> bool) -> Self {
        let mut typed = Self::default();
        for (name, text) in pairs {
            if !is_secret(&name) {
                // A browser sends every line break as CR LF.
                typed.texts.insert(name, text.replace("\r\n", "\n"));
            } else if !text.is_empty() {
                typed.secrets.insert(name);
            }
        }
        typed
    }

    /// The text of a field, if the form had it.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// Whether something secret was typed there.
    pub fn had_secret(&self, name: &str) -> bool {
        self.secrets.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_is_not_kept() {
        let pairs = [("name", "a\r\nb"), ("password", "hunter2"), ("current", "")];
        let pairs = pairs.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let typed = Typed::new(pairs, |name| name != "name");
        assert_eq!((typed.text("name"), typed.text("password")), (Some("a\nb"), None));
        assert!(typed.had_secret("password") && !typed.had_secret("current"));
        assert!(!format!("{typed:?}").contains("hunter2"));
    }
}
