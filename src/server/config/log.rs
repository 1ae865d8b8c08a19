//! What to log, and in which form.

use tracing_subscriber::EnvFilter;

use super::ConfigError;

/// What to log, and how.
#[derive(Debug)]
pub struct LogSettings {
    /// Which events.
    pub filter: EnvFilter,
    /// In which form.
    pub format: LogFormat,
}

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for machines.
    Json,
}

/// Reads a level (`debug`), or directives as tracing has them (`warn,impri=trace`).
///
/// # Errors
///
/// When it is neither.
pub fn parse_log_filter(text: &str) -> Result<EnvFilter, ConfigError> {
    let wrong = || ConfigError::LogLevel(text.to_owned());
    let is_level = |word: &str| ["off", "error", "warn", "info", "debug", "trace"].contains(&word);
    // tracing takes a misspelt level for a module's name and silently logs nothing.
    if !text.split(',').all(|directive| is_level(directive.trim()) || directive.contains('=')) {
        return Err(wrong());
    }
    // A bare level is about us; other crates' debug output would drown it, and is never needed by an operator.
    let directives =
        if is_level(text) { format!("warn,impri={text},postgres={text}") } else { text.to_owned() };
    EnvFilter::try_new(directives).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_levels_and_directives_but_no_misspelt_level() {
        for text in ["info", "debug", "off", "warn,impri=trace"] {
            assert!(parse_log_filter(text).is_ok(), "{text}");
        }
        for text in ["", "inof", "warn,imprid", "impri=loud"] {
            assert!(parse_log_filter(text).is_err(), "{text}");
        }
    }
}
