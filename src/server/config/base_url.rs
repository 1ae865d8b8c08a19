//! The address that the client side of this program finds a server at.

use std::net::IpAddr;

use url::{Host, Url};

use super::ConfigError;

/// Where a server is: an http or https address, without `/v1` and without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    is_loopback: bool,
}

impl BaseUrl {
    /// Reads an address. `/v1` at its end is dropped: some clients of this API are told it with the rest.
    ///
    /// # Errors
    ///
    /// When it is no http or https address.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let wrong = || ConfigError::BaseUrl(text.to_owned());
        let url = Url::parse(text.trim()).map_err(|_| wrong())?;
        let fits = matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if !fits {
            return Err(wrong());
        }
        let is_loopback = match url.host().ok_or_else(wrong)? {
            Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(ip) => IpAddr::from(ip).is_loopback(),
            Host::Ipv6(ip) => IpAddr::from(ip).is_loopback(),
        };
        let text = url.as_str().trim_end_matches('/');
        let text = text.strip_suffix("/v1").unwrap_or(text).trim_end_matches('/');
        Ok(Self { text: text.to_owned(), is_loopback })
    }

    /// The address, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it is on this machine.
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_other_clients_are_told() {
        for (given, read, is_loopback) in [
            ("http://127.0.0.1:8484", "http://127.0.0.1:8484", true),
            ("http://localhost:8484/", "http://localhost:8484", true),
            ("http://[::1]:8484", "http://[::1]:8484", true),
            ("https://impri.example.org/v1/", "https://impri.example.org", false),
            (" https://example.org/impri ", "https://example.org/impri", false),
        ] {
            let base = BaseUrl::parse(given).expect(given);
            assert_eq!((base.as_str(), base.is_loopback()), (read, is_loopback), "{given}");
        }
    }

    #[test]
    fn refuses_what_is_no_address_of_a_server() {
        for given in ["", "127.0.0.1:8484", "ftp://a.example", "https://u:p@a.example", "https://a.example?x"]
        {
            let refused = BaseUrl::parse(given).expect_err(given).to_string();
            assert!(refused.contains("IMPRI_BASE_URL"), "{refused}");
        }
    }
}
