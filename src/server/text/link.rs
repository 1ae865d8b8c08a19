//! Where a link leads, and whether its text says otherwise.
//!
//! Owns the judgement over one address. It must not know about Markdown. The rule: only http, https and mailto
//! become links, and the reader sees the host that the browser will go to, in the form that DNS uses.
use url::Url;

use crate::server::text::{inspect::inspect, reveal::reveal_text};

/// What to do with an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// It may be a link.
    Open {
        /// The address as the browser will use it.
        href: String,
        /// The host with its port, internationalised names in punycode; for mail the whole address.
        shown: String,
        /// What the reader should be warned of.
        warning: Option<String>,
    },
    /// It must not be a link: another scheme, a relative address or nonsense.
    Refuse,
}

/// Judges `address` behind a link with the text `text`.
pub(super) fn target(address: &str, text: &str) -> Target {
    let Ok(url) = Url::parse(address) else { return Target::Refuse };
    match url.scheme() {
        // The query of a mail link carries more recipients and a text: show all of it.
        "mailto" => {
            let shown = url.as_str().trim_start_matches("mailto:").to_owned();
            Target::Open { href: url.into(), shown, warning: None }
        }
        "http" | "https" => {
            let Some(host) = url.host_str() else { return Target::Refuse };
            let shown = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
            let warning =
                user_info(&url, host).or_else(|| other_host(text, host)).or_else(|| posing_name(host));
            Target::Open { shown, warning, href: url.into() }
        }
        _ => Target::Refuse,
    }
}

/// `https://good.example@evil.example` opens the second.
fn user_info(url: &Url, host: &str) -> Option<String> {
    let named = !url.username().is_empty() || url.password().is_some();
    named.then(|| format!("“{}” before the @ is only a user name, this opens {host}", url.username()))
}

/// The text of the link names a host that is not the one it opens.
fn other_host(text: &str, host: &str) -> Option<String> {
    let named = text.split_whitespace().find_map(named_host)?;
    let bare = |host: &str| host.trim_start_matches("www.").trim_end_matches('.').to_owned();
    (bare(&named) != bare(host)).then(|| format!("the text names {named}, this opens {host}"))
}

/// The name that stands behind a host in punycode is not what it looks like.
fn posing_name(host: &str) -> Option<String> {
    if !host.split('.').any(|label| label.starts_with("xn--")) {
        return None;
    }
    // A name that breaks a rule is decoded all the same, as far as it goes.
    let (name, _) = idna::domain_to_unicode(host);
    let found = inspect(&name).into_iter().find(|finding| finding.kind.is_warning())?;
    Some(format!("{host} stands for “{}”: {}", reveal_text(&name), found.sentence))
}

/// What a reader should be warned of in an address that stands alone.
pub fn address_warning(address: &str) -> Option<String> {
    match target(address, "") {
        Target::Open { warning, .. } => warning,
        Target::Refuse => None,
    }
}

/// The host that a word of the text claims, if the word is an address.
fn named_host(word: &str) -> Option<String> {
    /// Endings that make a bare word an address; others, like `.rs` or `.sh`, are rather files.
    const ENDINGS: [&str; 20] = [
        "com", "org", "net", "io", "dev", "app", "gov", "edu", "co", "de", "uk", "eu", "ai", "us", "fr",
        "info", "example", "test", "int", "mil",
    ];
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let lower = word.to_ascii_lowercase();
    let url = if lower.starts_with("http://") || lower.starts_with("https://") {
        Url::parse(word).ok()?
    } else {
        let host = lower.split(['/', ':', '?', '#']).next()?;
        let (name, ending) = host.rsplit_once('.')?;
        if name.is_empty() || name.contains('@') || !(ENDINGS.contains(&ending) || name.starts_with("www.")) {
            return None;
        }
        Url::parse(&format!("https://{word}")).ok()?
    };
    url.host_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn open(address: &str, text: &str) -> (String, Option<String>) {
        match target(address, text) {
            Target::Open { shown, warning, .. } => (shown, warning),
            Target::Refuse => panic!("refused {address}"),
        }
    }

    #[test]
    fn the_shown_host_is_the_one_that_opens() {
        assert_eq!(open("https://EXAMPLE.com/a", "here"), ("example.com".to_owned(), None));
        assert_eq!(open("https:\\\\evil.example:8443\\x", "x").0, "evil.example:8443");
        assert_eq!(open("https://p\u{430}ypal.com", "x").0, "xn--pypal-4ve.com");
        assert_eq!(open("http://0x7f.1/", "x").0, "127.0.0.1");
        assert_eq!(open("mailto:a@b.example?bcc=c@d.example", "x").0, "a@b.example?bcc=c@d.example");
    }

    #[test]
    fn tricks_are_named() {
        let (shown, warning) = open("https://good.example@evil.example/", "x");
        assert_eq!(shown, "evil.example");
        assert_eq!(
            warning.as_deref(),
            Some("“good.example” before the @ is only a user name, this opens evil.example")
        );
        for text in ["https://good.com/x", "see good.com", "(www.good.com)", "good.com/login"] {
            assert!(open("https://evil.example", text).1.is_some(), "{text}");
        }
        for text in ["README.md", "good.com", "https://www.good.com/a", "v1.2.3", "main.rs", "a@b.com"] {
            assert_eq!(open("https://good.com", text).1, None, "{text}");
        }
    }

    #[test]
    fn a_name_in_punycode_is_decoded_where_it_poses() {
        for (address, name, part) in [
            ("https://xn--pypal-4ve.com", "p\u{430}⟨U+0430⟩ypal.com", "mixes Latin and Cyrillic"),
            ("https://XN--PYPAL-4VE.com/", "p\u{430}⟨U+0430⟩ypal.com", "mixes Latin and Cyrillic"),
            ("https://p%D0%B0ypal.com", "p\u{430}⟨U+0430⟩ypal.com", "mixes Latin and Cyrillic"),
            ("https://paypa\u{131}.com", "paypa\u{131}⟨U+0131⟩.com", "U+0131 looks like “i”"),
            ("https://\u{430}\u{440}\u{440}\u{4CF}\u{435}.com", "⟨U+0435⟩.com", "is Cyrillic"),
        ] {
            let warning = address_warning(address).unwrap();
            assert!(
                warning.starts_with("xn--") && warning.contains(name) && warning.contains(part),
                "{warning}"
            );
        }
        for address in [
            "https://xn--mnchen-3ya.de",
            "https://\u{43C}\u{43E}\u{441}\u{43A}\u{432}\u{430}.\u{440}\u{444}",
            "https://例え.jp",
        ] {
            assert_eq!(address_warning(address), None, "{address}");
        }
    }

    #[test]
    fn other_schemes_are_refused() {
        for address in [
            "javascript:alert(1)",
            "JaVaScRiPt:x",
            "java\nscript:x",
            " javascript:x",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/passwd",
            "/inbox",
            "//evil.example",
            "#x",
            "",
            "blob:https://a/b",
            "ftp://a",
            "https://",
        ] {
            assert_eq!(target(address, "x"), Target::Refuse, "{address}");
        }
    }
}
