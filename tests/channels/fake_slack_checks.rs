//! What Slack refuses of messages and forms, as its documentation states it
//! (<https://docs.slack.dev/reference/block-kit/blocks/>, <https://docs.slack.dev/reference/block-kit/block-elements/button-element/>,
//! <https://docs.slack.dev/reference/views/modal-views/>).

use serde_json::Value;

/// What all blocks of a message may hold together; not documented, but seen
/// (<https://github.com/slackapi/bolt-js/issues/2867>).
const BLOCKS_MAX: usize = 11_300;

/// The texts of blocks of rich text, each element in a line of its own.
pub(super) fn read(blocks: &Value) -> String {
    let blocks = blocks.as_array().expect("blocks").iter().filter(|block| block["type"] == "rich_text");
    let elements = blocks.flat_map(|block| block["elements"].as_array().expect("elements"));
    let texts = elements.map(|element| {
        let texts = element["elements"].as_array().expect("elements").iter();
        texts.map(|text| text["text"].as_str().unwrap_or_default()).collect::<String>()
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What Slack refuses of a message.
pub(super) fn check(sent: &Value) -> Result<(), &'static str> {
    let line = sent["text"].as_str().ok_or("no_text")?;
    if line.chars().count() > 40_000 {
        return Err("msg_too_long");
    }
    // Nobody is called by a message of ours.
    assert!(!line.contains(['<', '>']), "{line}");
    let blocks = sent["blocks"].as_array().ok_or("invalid_blocks")?;
    if blocks.is_empty() || blocks.len() > 50 {
        return Err("invalid_blocks");
    }
    blocks.iter().try_for_each(check_block)?;
    let all = read(&sent["blocks"]).encode_utf16().count();
    if all > BLOCKS_MAX { Err("msg_blocks_too_long") } else { Ok(()) }
}

fn check_block(block: &Value) -> Result<(), &'static str> {
    let elements = block["elements"].as_array().filter(|all| !all.is_empty()).ok_or("invalid_blocks")?;
    let is_text = |value: &Value, most: usize| {
        value.as_str().is_some_and(|text| (1..=most).contains(&text.chars().count()))
    };
    for element in elements {
        let is_good = match (block["type"].as_str(), element["type"].as_str()) {
            (Some("rich_text"), Some("rich_text_section" | "rich_text_quote" | "rich_text_preformatted")) => {
                let inner = element["elements"].as_array().ok_or("invalid_blocks")?;
                !inner.is_empty()
                    && inner.iter().all(|one| {
                        let is_link = one["type"] == "link" && is_text(&one["url"], 3_000);
                        (one["type"] == "text" || is_link) && is_text(&one["text"], 40_000)
                    })
            }
            (Some("actions"), Some("button")) => {
                let value = element.get("value").is_none_or(|value| is_text(value, 2_000));
                let url = element.get("url").is_none_or(|url| is_text(url, 3_000));
                let style = element.get("style").is_none_or(|style| style == "primary" || style == "danger");
                let text = element["text"]["type"] == "plain_text" && is_text(&element["text"]["text"], 75);
                elements.len() <= 25 && text && value && url && style && is_text(&element["action_id"], 255)
            }
            _ => false,
        };
        if !is_good {
            return Err("invalid_blocks");
        }
    }
    Ok(())
}

/// Whether a form can be opened.
pub(super) fn is_form(view: &Value) -> bool {
    let length = |value: &Value| value.as_str().expect("a text").chars().count();
    let fits = view["type"] == "modal"
        && [&view["title"], &view["submit"], &view["close"]].iter().all(|text| length(&text["text"]) <= 24)
        && length(&view["private_metadata"]) <= 3_000
        && length(&view["callback_id"]) <= 255
        && view["blocks"].as_array().is_some_and(|blocks| (1..=100).contains(&blocks.len()));
    if !fits {
        return false;
    }
    for block in view["blocks"].as_array().expect("blocks") {
        match block["type"].as_str() {
            Some("rich_text") => assert_eq!(check_block(block), Ok(())),
            Some("input") => {
                assert!(block["label"]["type"] == "plain_text" && length(&block["label"]["text"]) <= 2_000);
                assert!(block["element"]["max_length"].as_u64().is_some_and(|max| max <= 3_000));
            }
            other => panic!("{other:?} in a form"),
        }
    }
    true
}
