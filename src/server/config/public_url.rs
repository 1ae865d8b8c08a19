//! The address that people and agents reach the product at.

use std::net::SocketAddr;

use url::Url;

use super::ConfigError;

/// The origin that the product is reached at: scheme, host and port, without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Reads an origin.
    ///
    /// # Errors
    ///
    /// When it is anything but an http or https origin.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let wrong = || ConfigError::PublicUrl(text.to_owned());
        let url = Url::parse(text).map_err(|_| wrong())?;
        let is_origin = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if is_origin { Ok(Self(url.origin().ascii_serialization())) } else { Err(wrong()) }
    }

    /// What a server is reached at that listens at `bound`: what was said, else that very address.
    pub fn or_bound(given: Option<Self>, bound: SocketAddr) -> Self {
        given.unwrap_or_else(|| Self::of_address(bound))
    }

    /// The origin of a server that listens at `address` and is reached directly.
    fn of_address(address: SocketAddr) -> Self {
        // "Every address" is none that a browser can open.
        let is_any = address.ip().is_unspecified();
        let host = if is_any { format!("localhost:{}", address.port()) } else { address.to_string() };
        Self(format!("http://{host}"))
    }

    /// The origin, without a slash at the end: what a browser sends as `Origin`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether people come over TLS, so that cookies can be `Secure`.
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https:")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_origins_and_writes_them_as_browsers_do() {
        for (given, origin) in [
            ("https://impri.example.com", "https://impri.example.com"),
            ("https://Impri.example.com:443/", "https://impri.example.com"),
            ("http://127.0.0.1:8484", "http://127.0.0.1:8484"),
            ("http://[::1]:8484", "http://[::1]:8484"),
        ] {
            assert_eq!(PublicUrl::parse(given).expect(given).as_str(), origin);
        }
    }

    #[test]
    fn refuses_all_that_is_more_or_less_than_an_origin() {
        for given in [
            "",
            "impri.example.com",
            "ftp://impri.example.com",
            "https://impri.example.com/inbox",
            "https://impri.example.com/?a=b",
            "https://impri.example.com/#a",
            "https://user@impri.example.com",
            "https://",
        ] {
            assert!(PublicUrl::parse(given).is_err(), "{given}");
        }
    }

    #[test]
    fn the_address_itself_is_the_default() {
        for (bound, origin) in [
            ("127.0.0.1:8484", "http://127.0.0.1:8484"),
            ("0.0.0.0:80", "http://localhost:80"),
            ("[::1]:8484", "http://[::1]:8484"),
        ] {
            assert_eq!(PublicUrl::of_address(bound.parse().expect(bound)).as_str(), origin);
        }
    }

    #[test]
    fn https_is_what_makes_cookies_secure() {
        assert!(PublicUrl::parse("https://a.example").expect("an origin").is_https());
        assert!(!PublicUrl::parse("http://a.example").expect("an origin").is_https());
    }
}
