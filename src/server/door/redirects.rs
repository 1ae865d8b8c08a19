//! Where plain forms lead, by what came of them. Only to pages of this server.

use crate::domain::channel::ChannelKind;
use crate::domain::ids::ActionId;
use crate::wire::card::Outcome;
use crate::wire::error::UiError;
use crate::wire::inbox::InboxFilter;
use crate::wire::many::ManyOutcome;
use crate::wire::session::Me;

/// Where a plain decide form leads: to its card, or to the page that asks once more. Both know the list that it came from.
pub fn after_decision(id: &str, list: &InboxFilter, outcome: &Result<Outcome, UiError>) -> String {
    // The id came from the form; only a real one may become part of an address.
    let Ok(id) = id.parse::<ActionId>() else { return "/inbox".to_owned() };
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    let page = match outcome {
        Ok(_) => {
            query.append_pair("done", "1");
            ""
        }
        Err(UiError::Unsure) => "/sure",
        Err(error) => {
            query.append_pair("refused", error.code());
            ""
        }
    };
    append_list(&mut query, list);
    let query = query.finish();
    let separator = if query.is_empty() { "" } else { "?" };
    format!("/inbox/{id}{page}{separator}{query}")
}

fn append_list(query: &mut url::form_urlencoded::Serializer<'_, String>, list: &InboxFilter) {
    for (name, value) in list.kept() {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            query.append_pair(name, value);
        }
    }
}

/// Where signing in leads: to the page that asked for it, if that is one of ours.
pub fn after_sign_in(next: &str, outcome: &Result<Me, UiError>) -> String {
    let next = own_path(next);
    match outcome {
        Ok(_) => next.unwrap_or("/inbox").to_owned(),
        Err(error) => format!("{}&next={}", refused("/sign-in", error), encoded(next.unwrap_or_default())),
    }
}

/// Where a form leads that makes an account, with the token of the link that opened it.
pub fn after_link<T>(path: &str, token: &str) -> impl FnOnce(&Result<T, UiError>) -> String {
    let back = format!("{path}?token={}", encoded(token));
    move |outcome| match outcome {
        Ok(_) => "/inbox".to_owned(),
        Err(error) => refused(&back, error),
    }
}

/// Where a form leads that stays on its page.
pub fn after<T>(path: &str, done: &str) -> impl FnOnce(&Result<T, UiError>) -> String {
    move |outcome| match outcome {
        Ok(_) => format!("{path}?done={done}"),
        Err(error) => refused(path, error),
    }
}

/// Where the form of a new channel leads: to the list, or back to where a channel of its sort is set up, if there is such
/// a sort.
pub fn after_new_channel<T>(kind: &str) -> impl FnOnce(&Result<T, UiError>) -> String + use<T> {
    let kind = ChannelKind::from_text(kind);
    move |outcome| match (outcome, kind) {
        (Ok(_), _) => "/channels?done=made".to_owned(),
        (Err(error), Some(kind)) => refused(&format!("/channels?new={}", kind.as_str()), error),
        (Err(error), None) => refused("/channels", error),
    }
}

/// A page of ours with the reason why something was refused.
fn refused(address: &str, error: &UiError) -> String {
    let separator = if address.contains('?') { '&' } else { '?' };
    format!("{address}{separator}refused={}", error.code())
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The path, if a browser can only read it as one on this server.
fn own_path(path: &str) -> Option<&str> {
    let is_ours = path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains(|c: char| c == '\\' || c.is_control() || c.is_whitespace());
    is_ours.then_some(path)
}

/// Where making a key leads.
pub fn after_agent_key(outcome: &Result<String, UiError>) -> String {
    match outcome {
        Ok(key) => format!("/connect?key={key}"),
        Err(error) => refused("/connect", error),
    }
}

/// Where sending a test action leads: to its card.
pub fn after_test_action(outcome: &Result<String, UiError>) -> String {
    match outcome {
        Ok(id) => format!("/inbox/{id}"),
        Err(error) => refused("/connect", error),
    }
}

/// Where a plain form about several actions leads: to a page that says what came of each, and back to the list.
pub fn after_many(filter: &InboxFilter, outcome: &Result<ManyOutcome, UiError>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    match outcome {
        Ok(outcome) => {
            for (id, reason) in &outcome.items {
                match reason {
                    None => query.append_pair("done", id),
                    Some(reason) => query.append_pair("left", &format!("{id}.{}", reason.code())),
                };
            }
        }
        Err(error) => _ = query.append_pair("refused", error.code()),
    }
    append_list(&mut query, filter);
    format!("/inbox/decided?{}", query.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::many::NotDecided;

    #[test]
    fn a_sign_in_leads_only_to_our_own_pages() {
        for next in
            ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "/a\nb", ""]
        {
            assert_eq!(own_path(next), None, "{next}");
        }
        assert_eq!(own_path("/inbox/act_x?at=1"), Some("/inbox/act_x?at=1"));
        let refused = after_sign_in("/inbox?a=b&c", &Err(UiError::WrongCredentials));
        assert_eq!(refused, "/sign-in?refused=wrong-credentials&next=%2Finbox%3Fa%3Db%26c");
    }

    #[test]
    fn a_forms_id_never_becomes_another_address() {
        let all = InboxFilter::default();
        assert_eq!(after_decision("//evil.example", &all, &Err(UiError::NotFound)), "/inbox");
        let id = "act_BwcHBwcHBwcHBwcHBwcHBw";
        assert_eq!(after_decision(id, &all, &Err(UiError::Stale)), format!("/inbox/{id}?refused=stale"));
        assert_eq!(after_decision(id, &all, &Err(UiError::Unsure)), format!("/inbox/{id}/sure"));
        let list = InboxFilter {
            q: Some("a&done=b".into()),
            order: Some("due".into()),
            kind: Some(String::new()),
            ..InboxFilter::default()
        };
        assert_eq!(
            after_decision(id, &list, &Err(UiError::Unsure)),
            format!("/inbox/{id}/sure?q=a%26done%3Db&order=due")
        );
    }

    #[test]
    fn what_came_from_a_form_stays_in_its_place() {
        let filter = InboxFilter { q: Some("a&done=b".into()), ..InboxFilter::default() };
        let outcome = ManyOutcome {
            items: vec![("act_1".into(), None), ("//evil&x".into(), Some(NotDecided::Unticked))],
        };
        assert_eq!(
            after_many(&filter, &Ok(outcome)),
            "/inbox/decided?done=act_1&left=%2F%2Fevil%26x.unticked&q=a%26done%3Db"
        );
        let refused = after_many(&InboxFilter::default(), &Err(UiError::BadRequest));
        assert_eq!(refused, "/inbox/decided?refused=bad-request");
    }
}
