//! The languages whose code gets coloured.
//!
//! Owns their names, in code fences and in kinds of actions, and their keywords. It must not know how code is
//! read.

/// The languages that actions commonly carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// POSIX shells and console sessions.
    Shell,
    /// SQL of any dialect.
    Sql,
    /// JSON.
    Json,
    /// Python.
    Python,
    /// Anything else: strings, numbers and the comments that most languages share.
    Generic,
}

impl Language {
    /// Reads the first word of a Markdown code fence; an unknown name is [`Language::Generic`].
    pub fn from_fence(info: &str) -> Self {
        match info.split_whitespace().next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "sh" | "bash" | "shell" | "zsh" | "console" | "shell-session" | "ksh" => Self::Shell,
            "sql" | "postgresql" | "postgres" | "mysql" | "sqlite" | "plpgsql" => Self::Sql,
            "json" | "jsonc" | "json5" | "ndjson" => Self::Json,
            "python" | "py" | "python3" => Self::Python,
            _ => Self::Generic,
        }
    }

    /// Guesses from the kind of an action (`shell`, `db.sql`, `code.execute.python`); `None` if it isn't code.
    pub fn from_kind(kind: &str) -> Option<Self> {
        let parts = || kind.split(['.', '_', '-', ':', '/']);
        let known = parts().map(Self::from_fence).find(|language| *language != Self::Generic);
        let is_code =
            |part: &str| ["code", "exec", "execute", "script"].iter().any(|k| k.eq_ignore_ascii_case(part));
        known.or_else(|| parts().any(is_code).then_some(Self::Generic))
    }

    /// The words that are coloured; those of SQL in lower case, where case means nothing.
    pub(super) fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Shell => &SHELL,
            Self::Sql => &SQL,
            Self::Json => &["true", "false", "null"],
            Self::Python => &PYTHON,
            Self::Generic => &GENERIC,
        }
    }
}

const SHELL: [&str; 20] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
    "function", "return", "exit", "export", "local", "sudo", "set",
];
const SQL: [&str; 48] = [
    "select",
    "from",
    "where",
    "and",
    "or",
    "not",
    "in",
    "is",
    "null",
    "insert",
    "into",
    "values",
    "update",
    "set",
    "delete",
    "truncate",
    "drop",
    "create",
    "alter",
    "table",
    "index",
    "view",
    "join",
    "left",
    "right",
    "inner",
    "outer",
    "on",
    "as",
    "group",
    "by",
    "order",
    "having",
    "limit",
    "offset",
    "union",
    "all",
    "distinct",
    "begin",
    "commit",
    "rollback",
    "grant",
    "revoke",
    "with",
    "case",
    "when",
    "returning",
    "cascade",
];
const PYTHON: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];
const GENERIC: [&str; 32] = [
    "if", "else", "for", "while", "do", "switch", "case", "break", "continue", "return", "function", "fn",
    "func", "def", "class", "struct", "enum", "const", "let", "var", "import", "export", "from", "new",
    "try", "catch", "throw", "true", "false", "null", "async", "await",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_names_its_language() {
        assert_eq!(Language::from_kind("shell.exec"), Some(Language::Shell));
        assert_eq!(Language::from_kind("db_sql"), Some(Language::Sql));
        assert_eq!(Language::from_kind("code.execute"), Some(Language::Generic));
        assert_eq!(Language::from_kind("code.execute.python"), Some(Language::Python));
        assert_eq!(Language::from_kind("email.send"), None);
    }
}
