//! Links that don't lead where they seem to, for who doesn't render the text.
//!
//! Owns one reading of the parser's events. The judgement over each link is the renderer's.
use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use super::options;
use crate::server::text::link::{Target, target};

/// Says how many links of a Markdown text are not what they seem, and why the first; `None` if all are.
pub fn link_warning(text: &str) -> Option<String> {
    let mut link: Option<(String, String)> = None;
    let (mut images, mut count, mut first) = (0_usize, 0_usize, None);
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images = images.saturating_sub(1),
            // A link inside an image is no link.
            Event::Start(Tag::Link { link_type, dest_url, .. }) if images == 0 => {
                let address = match link_type {
                    LinkType::Email => format!("mailto:{dest_url}"),
                    _ => dest_url.into_string(),
                };
                link = Some((address, String::new()));
            }
            Event::End(TagEnd::Link) if images == 0 => {
                if let Some((address, text)) = link.take()
                    && let Target::Open { warning: Some(warning), .. } = target(&address, &text)
                {
                    count += 1;
                    first.get_or_insert(warning);
                }
            }
            Event::Text(part) | Event::Code(part) | Event::InlineHtml(part) => {
                if let Some((_, text)) = &mut link {
                    text.push_str(&part);
                }
            }
            Event::SoftBreak => {
                if let Some((_, text)) = &mut link {
                    text.push('\n');
                }
            }
            _ => {}
        }
    }
    let first = first?;
    Some(if count == 1 {
        format!("1 link is not what it seems: {first}")
    } else {
        format!("{count} links are not what they seem, the first: {first}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lie_are_counted() {
        assert_eq!(
            link_warning("See [paypal.com](https://evil.example/x).").as_deref(),
            Some("1 link is not what it seems: the text names paypal.com, this opens evil.example")
        );
        assert_eq!(
            link_warning("> - [`a.com`][o] [b.com\n*x*](https://c.example)\n\n[o]: https://b.example")
                .as_deref(),
            Some("2 links are not what they seem, the first: the text names a.com, this opens b.example")
        );
        let found = link_warning("[here](https://xn--pypal-4ve.com)").unwrap();
        assert!(found.contains("xn--pypal-4ve.com stands for"), "{found}");
        for text in [
            "[a.com](https://a.com)",
            "![a.com](https://b.com)",
            "![[a.com](https://b.com)](x)",
            "a <c@b.example>",
        ] {
            assert_eq!(link_warning(text), None, "{text}");
        }
    }
}
