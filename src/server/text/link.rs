//! Where a link leads, and whether its text says otherwise.
//!
//! Owns the judgement over one address. It must not know about Markdown. The rule: only http, https and mailto
//! become links, and the reader sees the host that the browser will go to, in the form that DNS uses.
use url::Url;

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
            let warning = user_info(&url, host).or_else(|| other_host(text, host));
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
