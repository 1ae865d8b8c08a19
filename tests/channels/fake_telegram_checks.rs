//! What Telegram takes of a message: its HTML (<https://core.telegram.org/bots/api#html-style>), the length of texts, and
//! buttons (<https://core.telegram.org/bots/api#inlinekeyboardbutton>).

use axum::response::Response;
use serde_json::Value;

use super::fake_telegram::refuse;

/// What Telegram refuses of a message.
pub(super) fn check(sent: &Value) -> Result<(), Box<Response>> {
    let refuse = |code, text: &str| Err(Box::new(refuse(code, text)));
    let html = sent["text"].as_str().expect("a text");
    let text = if sent["parse_mode"] == "HTML" { shown(html) } else { Some(html.to_owned()) };
    let Some(text) = text else { return refuse(400, "Bad Request: can't parse entities") };
    if text.trim().is_empty() {
        return refuse(400, "Bad Request: message text is empty");
    }
    if text.encode_utf16().count() > 4_096 {
        return refuse(400, "Bad Request: message is too long");
    }
    for button in sent["reply_markup"]["inline_keyboard"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|row| row.as_array().expect("a row"))
    {
        if button["text"].as_str().is_none_or(str::is_empty) {
            return refuse(400, "Bad Request: text buttons are unallowed in the inline keyboard");
        }
        match (button["callback_data"].as_str(), button["url"].as_str()) {
            (Some(data), None) if (1..=64).contains(&data.len()) => {}
            (Some(_), None) => return refuse(400, "Bad Request: BUTTON_DATA_INVALID"),
            (None, Some(url)) if !url.contains("127.0.0.1") && !url.contains("localhost") => {}
            _ => return refuse(400, "Bad Request: inline keyboard button URL is invalid: Wrong HTTP URL"),
        }
    }
    Ok(())
}

/// What people see of HTML in Telegram's style; none if Telegram can't read it.
pub(super) fn shown(html: &str) -> Option<String> {
    let (mut text, mut open, mut rest) = (String::new(), Vec::new(), html);
    while let Some(next) = rest.chars().next() {
        if next == '<' {
            let (tag, after) = rest[1..].split_once('>')?;
            match tag.strip_prefix('/') {
                Some(name) => (open.pop()? == name).then_some(())?,
                None => open.push(tag.split(' ').next()?),
            }
            rest = after;
        } else if next == '&' {
            let (entity, after) = rest[1..].split_once(';')?;
            text.push(match entity {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                _ => return None,
            });
            rest = after;
        } else {
            text.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    open.is_empty().then_some(text)
}
