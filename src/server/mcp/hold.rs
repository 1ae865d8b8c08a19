//! How long one call may wait for a decision before the host gives it up.
//!
//! Hosts cut tool calls off, most of them after a minute, and a call that is cut off tells the model nothing. So a wait
//! ends before that with "still pending, call again"; longer ones are for hosts that are known to allow them.

use std::time::Duration;

/// Held without a word about it, and for hosts that nothing is known of: most give a call 60 seconds.
pub(super) const USUAL_SECS: u64 = 50;
/// Claude Code moves a call to the background after 120 seconds, where its answer is easily missed.
const CLAUDE_CODE_SECS: u64 = 110;
/// Codex and Cursor cut at five minutes.
const PATIENT_SECS: u64 = 240;

/// For how long to wait. `host` is how it names itself; `keeps_alive` says whether something is sent meanwhile, without
/// which proxies cut a connection after a minute.
pub(super) fn hold(asked_secs: Option<u64>, host: Option<&str>, keeps_alive: bool) -> Duration {
    let most = if keeps_alive { host.map_or(USUAL_SECS, most_of) } else { USUAL_SECS };
    Duration::from_secs(asked_secs.unwrap_or(USUAL_SECS).min(most))
}

fn most_of(host: &str) -> u64 {
    let host = host.to_ascii_lowercase();
    if host.starts_with("claude-code") {
        CLAUDE_CODE_SECS
    } else if host.starts_with("codex") || host.starts_with("cursor") {
        PATIENT_SECS
    } else {
        USUAL_SECS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_waits_are_for_hosts_that_allow_them() {
        for (asked, host, keeps_alive, held) in [
            (None, None, true, 50),
            (Some(0), None, true, 0),
            (Some(20), Some("claude-code"), true, 20),
            (Some(300), None, true, 50),
            (Some(300), Some("some-host"), true, 50),
            (None, Some("claude-code"), true, 50),
            (Some(300), Some("claude-code/2.1.212 (cli)"), true, 110),
            (Some(300), Some("codex-mcp-client"), true, 240),
            (Some(100), Some("Cursor"), true, 100),
            (Some(300), Some("Cursor"), false, 50),
        ] {
            assert_eq!(hold(asked, host, keeps_alive), Duration::from_secs(held), "{asked:?} {host:?}");
        }
    }
}
