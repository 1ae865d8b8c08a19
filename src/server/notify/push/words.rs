//! What a notification says. A lock screen is read by whoever passes, so a device may ask for no content.

use serde::Serialize;

use super::encrypt::CONTENT_MAX;
use crate::domain::Instant;
use crate::domain::action::Action;
use crate::server::text::reveal_text;
use crate::server::view;

/// Longest title, in characters.
const TITLE_MAX: usize = 120;
/// Longest other text, in characters.
const BODY_MAX: usize = 300;
/// Titles that a notification about several actions names.
const LISTED: usize = 3;
/// In the place of what is not to be seen.
const HIDDEN: &str = "Impri";

/// A notification, as the service worker reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Notification {
    /// In large letters.
    pub title: String,
    /// Below.
    pub body: String,
    /// What a click opens.
    pub url: String,
    /// A notification takes the place of the one with the same tag.
    pub tag: String,
}

impl Notification {
    /// What is encrypted.
    pub fn content(&self) -> Vec<u8> {
        // Texts only.
        let content = serde_json::to_vec(self).unwrap_or_default();
        debug_assert!(content.len() <= CONTENT_MAX, "its texts are short enough for any character");
        content
    }
}

/// One action that waits.
pub fn one(action: &Action, hides_content: bool, public_url: &str, now: Instant) -> Notification {
    let (title, body) = if hides_content {
        (HIDDEN.to_owned(), "An action waits for a decision.".to_owned())
    } else {
        let kind = reveal_text(action.content.kind.as_str());
        let left = view::between(action.expires_at - now);
        let body = format!("{kind}, proposed by {}. Decide within {left}.", reveal_text(&action.agent));
        (short(&reveal_text(action.content.title.as_str()), TITLE_MAX), short(&body, BODY_MAX))
    };
    Notification { title, body, url: format!("{public_url}/inbox/{}", action.id), tag: action.id.to_string() }
}

/// Several actions that wait.
pub fn several(titles: &[String], hides_content: bool, public_url: &str) -> Notification {
    let said = format!("{} wait for a decision", view::counted(titles.len(), "action"));
    let (title, body) = if hides_content {
        (HIDDEN.to_owned(), format!("{said}."))
    } else {
        let mut lines: Vec<String> =
            titles.iter().take(LISTED).map(|title| short(&reveal_text(title), BODY_MAX / LISTED)).collect();
        let more = titles.len().saturating_sub(LISTED);
        lines.extend((more > 0).then(|| format!("And {more} more.")));
        (said, lines.join("\n"))
    };
    Notification { title, body, url: format!("{public_url}/inbox"), tag: "impri-several".to_owned() }
}

/// One that tries a device.
pub fn test(public_url: &str) -> Notification {
    Notification {
        title: "Test from Impri".to_owned(),
        body: "This device is told when an action waits.".to_owned(),
        url: format!("{public_url}/inbox"),
        tag: "impri-test".to_owned(),
    }
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_fits() {
        let titles = vec!["\u{1F6A2}".repeat(500); 2_000];
        let notification = several(&titles, false, "https://impri.example.org");
        assert!(notification.content().len() <= CONTENT_MAX);
        assert!(notification.body.ends_with("And 1997 more."), "{}", notification.body);
    }

    #[test]
    fn a_lock_screen_learns_nothing_where_that_is_chosen() {
        let notification =
            several(&["Pay Acme".to_owned(), "Fire Bob".to_owned()], true, "https://impri.example.org");
        assert_eq!(
            (notification.title.as_str(), notification.body.as_str()),
            ("Impri", "2 actions wait for a decision.")
        );
    }
}
