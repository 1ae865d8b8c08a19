//! What was typed into a form that could not be taken as it was, on its way back into the form.

use std::collections::{HashMap, HashSet};

use super::error::UiError;

/// The longest form that comes back, in MiB. An action's values can be edited, and escaped they are thrice as long.
pub const MAX_MIB: usize = 2;

/// The texts of a form by the names of its fields. Of what is secret only that there was something is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    texts: HashMap<String, String>,
    secrets: HashSet<String>,
    is_lost: bool,
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

    /// A form of more than [`MAX_MIB`].
    pub fn lost() -> Self {
        Self { is_lost: true, ..Self::default() }
    }

    /// Whether the form was too long, so that nothing is known of it.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The same if it was typed into the decide form of an action with this id and digest, or if nothing was.
    ///
    /// # Errors
    /// If it was too long to be kept, was typed for another action, or for what this one does not say.
    pub fn for_action(self, id: &str, digest: &str) -> Result<Self, UiError> {
        match (self.text("id"), self.text("seen")) {
            _ if self.is_lost => Err(UiError::TooMuch),
            _ if self == Self::default() => Ok(self),
            (Some(its), Some(seen)) if its == id && seen == digest => Ok(self),
            (Some(its), _) if its == id => Err(UiError::Stale),
            _ => Err(UiError::OtherAction),
        }
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

    #[test]
    fn what_was_typed_goes_into_the_form_that_it_was_typed_into() {
        let typed = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            Typed::new(pairs, |_| false)
        };
        let own = typed(&[("id", "act_a"), ("seen", "12"), ("comment", "go")]);
        assert_eq!(own.clone().for_action("act_a", "12"), Ok(own.clone()));
        assert_eq!(own.clone().for_action("act_b", "12"), Err(UiError::OtherAction));
        assert_eq!(own.for_action("act_a", "13"), Err(UiError::Stale));
        assert_eq!(typed(&[("comment", "go")]).for_action("act_a", "12"), Err(UiError::OtherAction));
        assert_eq!(Typed::default().for_action("act_a", "12"), Ok(Typed::default()));
        assert_eq!(Typed::lost().for_action("act_a", "12"), Err(UiError::TooMuch));
    }
}
