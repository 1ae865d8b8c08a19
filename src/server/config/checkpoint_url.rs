//! Where signed checkpoints of the history are sent to.

use url::Url;

use super::ConfigError;

/// Reads the address: https, or http where private targets are allowed. It may hold a secret, so no refusal repeats it.
///
/// # Errors
/// If it is none.
pub fn parse_checkpoint_url(text: &str, allow_private_targets: bool) -> Result<Url, ConfigError> {
    let url = Url::parse(text).ok().filter(|url| {
        let is_safe = url.scheme() == "https" || (url.scheme() == "http" && allow_private_targets);
        is_safe && url.host().is_some()
    });
    url.ok_or(ConfigError::CheckpointUrl)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_https_and_http_only_within_the_house() {
        assert!(parse_checkpoint_url("https://anchor.example/in?key=x", false).is_ok());
        assert!(parse_checkpoint_url("http://127.0.0.1:9/", true).is_ok());
        for wrong in ["http://hunter2.example/", "hunter2.example", "ftp://hunter2.example/", ""] {
            let refused = parse_checkpoint_url(wrong, false).expect_err(wrong).to_string();
            assert!(refused.contains("IMPRI_CHECKPOINT_URL") && !refused.contains("hunter2"), "{refused}");
        }
    }
}
