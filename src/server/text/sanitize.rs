//! The last gate: what may be in markup that was rendered from Markdown.
//!
//! Owns the allow-list. It must not know how the markup came about. The renderer escapes everything itself and
//! writes nothing outside this list, so the gate normally changes nothing; it is there for the day the renderer
//! is wrong, and because it parses as a browser does.
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};

const TAGS: [&str; 21] = [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "span",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// The classes per element. Closed, so that an agent's text can't borrow the look of anything else on the page.
const CLASSES: [(&str, &[&str]); 6] = [
    (
        "span",
        &[
            "revealed",
            "look-alike",
            "link-host",
            "link-warning",
            "link-refused",
            "link-title",
            "md-unused",
            "image",
            "raw-html",
            "task",
            "tok-kw",
            "tok-str",
            "tok-num",
            "tok-com",
        ],
    ),
    ("p", &["md-heading", "md-h1", "md-h2", "md-h3", "md-h4", "md-h5", "md-h6", "md-unused", "code-info"]),
    ("td", &ALIGNED),
    ("th", &ALIGNED),
    ("div", &["md-table"]),
    ("pre", &["code"]),
];
const ALIGNED: [&str; 3] = ["align-left", "align-center", "align-right"];

static GATE: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(TAGS.into_iter().collect())
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href"])),
            ("code", HashSet::from(["class"])),
            ("li", HashSet::from(["value"])),
            ("ol", HashSet::from(["start"])),
            ("span", HashSet::from(["title"])),
        ]))
        .allowed_classes(
            CLASSES.into_iter().map(|(tag, list)| (tag, list.iter().copied().collect())).collect(),
        )
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("nofollow noopener noreferrer ugc"))
        .set_tag_attribute_value("a", "target", "_blank")
        .attribute_filter(|tag, attribute, value| match (tag, attribute) {
            ("li", "value") => value.bytes().all(|b| b.is_ascii_digit()).then(|| value.into()),
            ("code", "class") => is_language_class(value).then(|| value.into()),
            _ => Some(value.into()),
        })
        .clean_content_tags(HashSet::from(["script", "style"]))
        .strip_comments(true);
    builder
});

/// Returns `html` without anything that is not on the list; `None` if that would take too long.
pub(super) fn sanitize(html: &str) -> Option<String> {
    is_affordable(html).then(|| GATE.clean(html).to_string())
}

/// The serialiser of html5ever 0.40 looks for the next `<` of a text anew at each `&` and at each character
/// that is encoded with the byte C2, which makes a long text full of them quadratic.
fn is_affordable(html: &str) -> bool {
    const BYTES_SEARCHED: usize = 2_000_000_000;
    let mut searched = 0_usize;
    for text in html.split('<') {
        let stops = text.bytes().filter(|b| matches!(b, b'&' | 0xC2)).count();
        searched = searched.saturating_add(stops.saturating_mul(text.len()));
    }
    searched <= BYTES_SEARCHED
}

/// Tells whether a fence's first word can be a class.
fn is_language(name: &str) -> bool {
    (1..=24).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'_'))
}

fn is_language_class(class: &str) -> bool {
    class.strip_prefix("language-").is_some_and(is_language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_off_the_list_passes() {
        for (html, clean) in [
            ("<p id=\"a\" class=\"decision-form md-h1\">x</p>", "<p class=\"md-h1\">x</p>"),
            (
                "<span class=\"tok-kw\" title=\"t\" onclick=\"x\">x</span>",
                "<span class=\"tok-kw\" title=\"t\">x</span>",
            ),
            ("<code class=\"language-sh x\">x</code>", "<code>x</code>"),
            (
                "<ol><li value=\"7\">x</li><li value=\"x\">y</li></ol>",
                "<ol><li value=\"7\">x</li><li>y</li></ol>",
            ),
            ("<script>x</script><img src=x onerror=y><form><input></form>", ""),
            (
                "<a href=\"javascript:x\">x</a><a href=\"/rpc\">y</a>",
                "<a target=\"_blank\" rel=\"nofollow noopener noreferrer ugc\">x</a>\
                 <a target=\"_blank\" rel=\"nofollow noopener noreferrer ugc\">y</a>",
            ),
        ] {
            assert_eq!(sanitize(html).as_deref(), Some(clean));
        }
    }

    #[test]
    fn what_would_be_quadratic_is_refused() {
        assert_eq!(sanitize(&"&amp;".repeat(200_000)), None);
        assert_eq!(sanitize(&"§".repeat(200_000)), None);
        assert!(sanitize(&"a &amp; b §\n".repeat(2_000)).is_some());
        assert!(sanitize(&"<em>a</em> &amp; b".repeat(20_000)).is_some());
    }
}
