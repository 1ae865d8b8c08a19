//! What Discord takes: the limits of messages, components and forms.

use serde_json::{Value, json};

/// What is wrong, as `Invalid Form Body` says it (<https://docs.discord.com/developers/reference#error-messages>).
pub(super) type Checked = Result<(), Box<Value>>;

fn wrong(place: &str, what: &str) -> Checked {
    Err(Box::new(
        json!({"code": 50_035, "message": "Invalid Form Body", "errors": {place: {"_errors": [{"message": what}]}}}),
    ))
}

fn length(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.chars().count())
}

/// A message (<https://docs.discord.com/developers/resources/message#create-message>).
pub(super) fn message(sent: &Value) -> Checked {
    let embeds = sent["embeds"].as_array().cloned().unwrap_or_default();
    if length(&sent["content"]) == 0 && embeds.is_empty() && sent["components"] != json!([]) {
        return Err(Box::new(json!({"code": 50_006, "message": "Cannot send an empty message"})));
    }
    if length(&sent["content"]) > 2_000 {
        return wrong("content", "Must be 2000 or fewer in length.");
    }
    // https://docs.discord.com/developers/resources/message#embed-object-embed-limits
    if embeds.len() > 10 || embeds.iter().any(|embed| !(1..=4_096).contains(&length(&embed["description"]))) {
        return wrong("embeds", "Must be between 1 and 4096 in length.");
    }
    if embeds.iter().map(|embed| length(&embed["description"])).sum::<usize>() > 6_000 {
        return wrong("embeds", "Embed size exceeds maximum size of 6000");
    }
    assert_eq!(sent["allowed_mentions"], json!({"parse": []}), "nobody is called by what an agent says");
    rows(&sent["components"])
}

/// Rows of buttons (<https://docs.discord.com/developers/components/reference#button>).
fn rows(components: &Value) -> Checked {
    let mut ids = Vec::new();
    for row in components.as_array().into_iter().flatten() {
        let buttons = row["components"].as_array().cloned().unwrap_or_default();
        if row["type"] != 1 || !(1..=5).contains(&buttons.len()) {
            return wrong("components", "Must be between 1 and 5 in length.");
        }
        for button in buttons {
            let (id, url) = (length(&button["custom_id"]), button["url"].as_str());
            let is_whole = button["type"] == 2 && (1..=80).contains(&length(&button["label"]));
            let fits = match (button["style"].as_u64(), url) {
                (Some(1..=4), None) => (1..=100).contains(&id),
                (Some(5), Some(url)) => {
                    id == 0 && url.len() <= 512 && !url.contains("127.0.0.1") && !url.contains("localhost")
                }
                _ => false,
            };
            if !is_whole || !fits || (id > 0 && ids.contains(&button["custom_id"])) {
                return wrong("components", "The button is not valid.");
            }
            ids.push(button["custom_id"].clone());
        }
    }
    Ok(())
}

/// The first answer to an interaction
/// (<https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object>).
pub(super) fn first_answer(answer: &Value) -> Checked {
    match answer["type"].as_u64() {
        Some(1) => Ok(()),
        Some(5) => {
            assert_eq!(answer["data"]["flags"], 64, "only whoever acted sees it");
            Ok(())
        }
        Some(9) => form(&answer["data"]),
        _ => wrong("type", "Value is not a valid choice."),
    }
}

/// A form (<https://docs.discord.com/developers/components/using-modal-components>,
/// <https://docs.discord.com/developers/components/reference#label>).
fn form(data: &Value) -> Checked {
    let parts = data["components"].as_array().cloned().unwrap_or_default();
    let is_whole = (1..=100).contains(&length(&data["custom_id"]))
        && (1..=45).contains(&length(&data["title"]))
        && (1..=5).contains(&parts.len());
    let fits = parts.iter().all(|label| {
        let field = &label["component"];
        label["type"] == 18
            && (1..=45).contains(&length(&label["label"]))
            && length(&label["description"]) <= 100
            && field["type"] == 4
            && (1..=100).contains(&length(&field["custom_id"]))
            && matches!(field["style"].as_u64(), Some(1 | 2))
            && field["label"].is_null()
            && field["max_length"].as_u64().is_none_or(|most| (1..=4_000).contains(&most))
            && length(&field["placeholder"]) <= 100
    });
    if is_whole && fits { Ok(()) } else { wrong("data", "The form is not valid.") }
}
