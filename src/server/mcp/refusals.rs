//! What a tool says when the REST API refuses, or can't be asked: the server's own sentence, and what to do about it.

use serde_json::Value;

use super::road::{Answer, Lost};

/// What was asked for, where the advice depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Push,
    Await,
    Claim,
    Report,
    Cancel,
    Status,
}

/// The server's sentence, what was wrong in particular, and what to do.
pub(super) fn refused(asked: Asked, answer: &Answer) -> String {
    let body = &answer.body;
    let text = |key: &str| body.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut said = text("message")
        .or_else(|| text("error"))
        .map_or_else(|| format!("The server answered with status {}.", answer.status), str::to_owned);
    for issue in body.get("issues").and_then(Value::as_array).into_iter().flatten() {
        let Some(message) = issue.get("message").and_then(Value::as_str) else { continue };
        if !said.contains(message) {
            said = format!("{said}\n{}: {message}", path(issue));
        }
    }
    if let (500.., Some(id)) = (answer.status, &answer.request_id) {
        said = format!("{said} (request {id})");
    }
    format!("{said}\n{}", advice(asked, answer))
}

fn path(issue: &Value) -> String {
    let parts = issue.get("path").and_then(Value::as_array).into_iter().flatten();
    let parts: Vec<String> =
        parts.map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned)).collect();
    parts.join(".")
}

fn advice(asked: Asked, answer: &Answer) -> String {
    let advice = match (answer.status, asked) {
        (401, _) => {
            "You can't mend this: tell the person who set Impri up that its key is missing or not valid, and do not act."
        }
        (403, Asked::Cancel) => "Leave the action as it is, or ask the person to reject it.",
        (403, _) => "You can't mend this: tell the person that the key may not do this, and do not act.",
        (404, _) => "Check the action_id; an action that can't be read is not approved.",
        (409, Asked::Push) => {
            "Nothing was proposed. If this is a new proposal, push it with a new idempotency_key or without one; if it is \
             the old one, push it unchanged."
        }
        (409, Asked::Claim) => {
            "You do not hold the permission to run this: do not act. impri_await_decision says how the action stands."
        }
        (409, Asked::Report) => {
            "What was reported first stays. Do not act again; tell the person if it is wrong."
        }
        (409, _) => "It is too late for that. impri_await_decision says how the action stands.",
        (410, _) => "Do not act on this approval. Push the action again if it is still wanted.",
        (413, _) => "Nothing was stored. Shorten what you send.",
        (422, _) => "Nothing was stored. Send only what this action allows.",
        (429, _) => {
            let secs = answer.retry_after.map_or(5, |pause| pause.as_secs().max(1));
            return format!("Wait {secs} seconds, then call again. Until then nothing counts as approved.");
        }
        (400..500, _) => "Nothing was stored. Correct this and call again.",
        (_, Asked::Claim) => {
            "Whether the claim was taken is not known: do not act. impri_await_decision says how the action stands."
        }
        _ => "Nothing counts as approved because of this. Call again in a while; do not act meanwhile.",
    };
    advice.to_owned()
}

/// The server could not be asked.
pub(super) fn lost(asked: Asked, place: &str, lost: &Lost) -> String {
    let why = lost.why();
    let what = match (lost, asked) {
        (Lost::Unheard(_), _) => "Nothing was sent, nothing is approved: do not act. Call again in a while.",
        (Lost::Unanswered(_), Asked::Push) => {
            "Whether the proposal arrived is not known. Look with impri_inbox_status before you push it again."
        }
        (Lost::Unanswered(_), Asked::Claim) => {
            "Whether the claim was taken is not known: do not act. impri_await_decision says how the action stands."
        }
        (Lost::Unanswered(_), _) => "Whether it arrived is not known; calling again does no harm.",
    };
    format!("Impri at {place} could not be reached: {why}. {what}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    fn answer(status: u16, body: Value) -> Answer {
        Answer { status, body, retry_after: None, request_id: Some("req-1".into()) }
    }

    #[test]
    fn the_servers_sentence_comes_first_and_issues_that_it_lacks_follow() {
        let body = json!({"error": "Bad Request", "message": "title: too long.", "issues": [
            {"path": ["title"], "message": "too long."}, {"path": ["preview", "body"], "message": "missing."}]});
        let said = refused(Asked::Push, &answer(400, body));
        assert_eq!(
            said,
            "title: too long.\npreview.body: missing.\nNothing was stored. Correct this and call again."
        );
        let bare = refused(Asked::Push, &answer(400, json!({"error": "Bad Request", "issues": []})));
        assert!(bare.starts_with("Bad Request\n"), "{bare}");
    }

    #[test]
    fn every_refusal_says_what_to_do() {
        for (status, asked, word) in [
            (401, Asked::Await, "do not act"),
            (403, Asked::Push, "do not act"),
            (404, Asked::Await, "not approved"),
            (409, Asked::Push, "idempotency_key"),
            (409, Asked::Claim, "do not act"),
            (409, Asked::Cancel, "too late"),
            (410, Asked::Claim, "Do not act"),
            (422, Asked::Push, "Nothing was stored"),
            (500, Asked::Claim, "do not act"),
            (502, Asked::Await, "do not act"),
        ] {
            let said = refused(asked, &answer(status, Value::Null));
            assert!(said.contains(word), "{status} {asked:?}: {said}");
            assert_eq!(said.contains("req-1"), status >= 500, "{said}");
        }
        let throttled = Answer { retry_after: Some(Duration::from_secs(7)), ..answer(429, Value::Null) };
        assert!(refused(Asked::Push, &throttled).contains("Wait 7 seconds"));
    }
}
