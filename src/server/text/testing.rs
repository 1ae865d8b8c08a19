//! What the tests of the text modules share: a strict reader of the markup that they may produce.
use std::collections::HashMap;

/// Every element that may leave the text modules, with its attributes.
fn allowed() -> HashMap<&'static str, &'static [&'static str]> {
    let mut allowed: HashMap<_, &[&str]> = HashMap::new();
    for tag in ["blockquote", "br", "del", "em", "hr", "li", "strong", "thead", "tbody", "tr", "summary"] {
        allowed.insert(tag, &[]);
    }
    for tag in ["code", "div", "p", "pre", "table", "ul", "td", "th"] {
        allowed.insert(tag, &["class"]);
    }
    allowed.insert("span", &["class", "title"]);
    allowed.insert("a", &["href", "rel", "target"]);
    allowed.insert("li", &["value"]);
    allowed.insert("ol", &["start", "class"]);
    allowed.insert("details", &["class", "open"]);
    allowed.insert("tr", &["class"]);
    allowed.insert("td", &["class", "colspan"]);
    allowed
}

/// Reads `html` strictly and returns its text; anything that is not exactly `<tag attr="value">` out of the
/// allowed list is an error, and so is a stray `<`, `"`-breaking value or event-handler-like name.
pub(super) fn text_of(html: &str) -> Result<String, String> {
    let (allowed, mut text, mut rest) = (allowed(), String::new(), html);
    while let Some(at) = rest.find('<') {
        text.push_str(&unescape(&rest[..at])?);
        let end = at + rest[at..].find('>').ok_or("an unclosed tag")?;
        check_tag(&rest[at + 1..end], &allowed).map_err(|why| format!("{why} in {}", &rest[at..=end]))?;
        rest = &rest[end + 1..];
    }
    text.push_str(&unescape(rest)?);
    Ok(text)
}

fn check_tag(tag: &str, allowed: &HashMap<&str, &[&str]>) -> Result<(), String> {
    if let Some(name) = tag.strip_prefix('/') {
        return allowed.contains_key(name).then_some(()).ok_or_else(|| format!("closing {name}"));
    }
    let (name, mut attrs) = tag.split_once(' ').unwrap_or((tag, ""));
    let names = allowed.get(name).ok_or_else(|| format!("element {name}"))?;
    while !attrs.is_empty() {
        let (attr, after) = attrs.split_once("=\"").ok_or("an attribute without a quoted value")?;
        let (value, after) = after.split_once('"').ok_or("an unclosed value")?;
        if !names.contains(&attr) {
            return Err(format!("attribute {attr}"));
        }
        let value = unescape(value)?;
        let fine = match attr {
            "href" => ["http://", "https://", "mailto:"].iter().any(|scheme| value.starts_with(scheme)),
            "class" => {
                value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_ +".contains(c))
            }
            "start" | "value" | "colspan" => value.chars().all(|c| c.is_ascii_digit()),
            "rel" => value == "nofollow noopener noreferrer ugc",
            "target" => value == "_blank",
            "open" => value.is_empty(),
            _ => true,
        };
        if !fine {
            return Err(format!("value {value:?} of {attr}"));
        }
        attrs = after.strip_prefix(' ').unwrap_or(after);
    }
    Ok(())
}

/// Undoes the escaping; a bare `&`, `"` or `>` is refused only where it could matter.
fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (entity, after) = rest[at + 1..].split_once(';').ok_or("a bare &")?;
        out.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            "nbsp" => '\u{A0}',
            other => return Err(format!("entity {other}")),
        });
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Returns the text of `html` with every revealed code point turned back into its character.
pub(super) fn undo(html: &str) -> String {
    const OPEN: &str = "<span class=\"revealed\" title=\"";
    let mut plain = String::new();
    let mut rest = html;
    while let Some(at) = rest.find(OPEN) {
        plain.push_str(&text_of(&rest[..at]).unwrap());
        let (_, inner) = rest[at..].split_once("\">").unwrap();
        let (code, after) = inner.split_once("</span>").unwrap();
        plain.push(char::from_u32(u32::from_str_radix(&code[2..], 16).unwrap()).unwrap());
        rest = after;
    }
    plain + &text_of(rest).unwrap()
}
