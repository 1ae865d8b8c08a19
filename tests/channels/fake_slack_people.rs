//! What Slack sends when people press something or send a form (<https://docs.slack.dev/reference/interaction-payloads/>), and
//! how it signs that.

use hmac::{Hmac, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;

use super::fake_slack::{ADA, CHANNEL, FakeSlack, Message, buttons};

impl FakeSlack {
    fn trigger(&self) -> String {
        let mut shared = self.lock();
        shared.last_id += 1;
        let trigger = format!("{}.98765.abcd2358fdea", shared.last_id);
        shared.triggers.push(trigger.clone());
        trigger
    }

    fn actions(&self, user: &str, ts: &str, action: &Value) -> Value {
        let trigger = self.trigger();
        let answer =
            format!("{}/actions/{user}/{}", self.url(), trigger.split('.').next().expect("a number"));
        json!({"type": "block_actions", "user": from(user), "api_app_id": "A0KRD7HC3", "token": "9s8d9as89d8as9d8as989",
            "container": {"type": "message", "message_ts": ts, "channel_id": CHANNEL, "is_ephemeral": false},
            "trigger_id": trigger, "team": {"id": "T0CAG", "domain": "acme"}, "channel": {"id": CHANNEL, "name": "ops"},
            "response_url": answer, "actions": [{"type": "button", "block_id": "x", "action_ts": "1548426417.840180",
                "action_id": action["action_id"], "text": action["text"], "value": action["value"]}]})
    }

    /// Somebody presses a button of a message.
    pub(super) fn press(&self, user: &str, message: &Message, label: &str) -> Value {
        let all = buttons(&message.blocks);
        let button = all.iter().find(|button| button["text"]["text"] == label);
        self.actions(user, &message.ts, button.unwrap_or_else(|| panic!("no {label}: {message:?}")))
    }

    /// Somebody presses a button of what they were told alone last.
    pub(super) fn press_whisper(&self, user: &str, label: &str) -> Value {
        let last = self.lock().whispers.last().expect("an answer").clone();
        let button = buttons(&last["blocks"]).into_iter().find(|button| button["text"]["text"] == label);
        self.actions(user, "1548426417.000200", &button.expect("the button"))
    }

    /// Somebody sends the form that was opened last.
    pub(super) fn submit(&self, user: &str, field: &str, text: Option<&str>) -> Value {
        let mut view = self.view();
        let element = json!({"type": "plain_text_input", "value": text});
        view["state"] = json!({"values": {field: {field: element}}});
        view["id"] = "VNHU13V36".into();
        json!({"type": "view_submission", "team": {"id": "T0CAG", "domain": "acme"}, "user": from(user),
            "trigger_id": self.trigger(), "view": view, "response_urls": []})
    }
}

fn from(user: &str) -> Value {
    let name = if user == ADA { "ada" } else { "mallory" };
    json!({"id": user, "username": name, "name": name, "team_id": "T0CAG"})
}

/// A call as Slack signs it (<https://docs.slack.dev/authentication/verifying-requests-from-slack/>): the body and the
/// signature.
pub(super) fn signed(payload: &Value, at: i64, secret: &str) -> (String, String) {
    let body = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("payload", &payload.to_string())
        .finish();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(format!("v0:{at}:{body}").as_bytes());
    (body, format!("v0={}", hex::encode(mac.finalize().into_bytes())))
}
