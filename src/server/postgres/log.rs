//! The database's own log: passed on to ours, and its end remembered for when the process ends.
//!
//! Relies on the settings that keep prefixes, statements and people's data out of it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::ChildStderr,
};

/// Passes the database's log on, by its severity, and remembers the end of it.
pub(super) async fn forward_log(stderr: ChildStderr, said: Said) {
    let mut lines = BufReader::new(stderr).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        // Errors and fatals end one session, whose client (this server) is told and says so itself. The reason of
        // a database that ends is in the line about its end.
        match line.split_once(':').map(|(severity, _)| severity) {
            Some("PANIC") => tracing::error!(target: "postgres", "{line}"),
            Some("WARNING") => tracing::warn!(target: "postgres", "{line}"),
            _ => tracing::debug!(target: "postgres", "{line}"),
        }
        said.push(line);
    }
}

/// The last lines of a process's log.
#[derive(Debug, Clone, Default)]
pub(super) struct Said(Arc<Mutex<VecDeque<String>>>);

impl Said {
    fn push(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == 20 {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The line that says why it ended, as far as can be told.
    pub(super) fn reason(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_grave = |line: &&String| line.starts_with("FATAL:") || line.starts_with("PANIC:");
        lines.iter().rfind(is_grave).or(lines.back()).cloned().unwrap_or_else(|| "nothing".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_last_grave_line() {
        let said = Said::default();
        assert_eq!(said.reason(), "nothing");
        for line in ["LOG:  starting", "FATAL:  could not create lock file", "LOG:  shut down"] {
            said.push(line.to_owned());
        }
        assert_eq!(said.reason(), "FATAL:  could not create lock file");
        for _ in 0..20 {
            said.push("LOG:  later".to_owned());
        }
        assert_eq!(said.reason(), "LOG:  later");
    }
}
