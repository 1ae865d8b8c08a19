//! Colours code, for reading only.
//!
//! Owns a small tokeniser per language family. It must not know about markup beyond its four class names. It
//! is no parser: the invariants are that it never changes or drops a character, runs in linear time, and when
//! in doubt leaves text uncoloured rather than make live code look like a comment.
use crate::server::text::{language::Language, lookalike::is_word};

/// What a token is; `None` in the callback of [`tokens`] means nothing in particular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Keyword,
    Text,
    Number,
    Comment,
}

impl Token {
    /// The CSS class.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Keyword => "tok-kw",
            Self::Text => "tok-str",
            Self::Number => "tok-num",
            Self::Comment => "tok-com",
        }
    }
}

/// Hands all of `code` to `take`, in order, cut into tokens.
pub(super) fn tokens<'a>(language: Language, code: &'a str, mut take: impl FnMut(&'a str, Option<Token>)) {
    let mut scanner = Scanner { language, code, unclosed: [0; 4] };
    let (mut plain_from, mut at) = (0, 0);
    while let Some(ch) = code[at..].chars().next() {
        let (length, token) = scanner.token(at, ch);
        if token.is_some() {
            if plain_from < at {
                take(&code[plain_from..at], None);
            }
            take(&code[at..at + length], token);
            plain_from = at + length;
        }
        at += length;
    }
    if plain_from < code.len() {
        take(&code[plain_from..], None);
    }
}

struct Scanner<'a> {
    language: Language,
    code: &'a str,
    /// Per quote, and last for `/*`: up to here no closing one will be found, so nobody looks again. Keeps the
    /// whole linear.
    unclosed: [usize; 4],
}

impl Scanner<'_> {
    fn token(&mut self, at: usize, ch: char) -> (usize, Option<Token>) {
        let rest = &self.code[at..];
        if let Some(length) = self.comment(at, rest) {
            return (length, Some(Token::Comment));
        }
        if let Some(length) = self.string(at, ch) {
            let is_key = self.language == Language::Json && rest[length..].trim_start().starts_with(':');
            return (length, Some(if is_key { Token::Keyword } else { Token::Text }));
        }
        if !is_word(ch) && ch != '_' {
            return (ch.len_utf8(), None);
        }
        let number = ch.is_ascii_digit();
        let in_token = |c: char| is_word(c) || c == '_' || (number && c == '.');
        let length = rest.find(|c| !in_token(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        // A part of a path, an option or a name is none: `/var/log`, `--for`, `order.from`.
        let is_part = |ch: char| matches!(ch, '/' | '.' | '-' | '$' | '@' | '\\');
        let before = self.code[..at].chars().next_back();
        let after = rest[length..].chars().next();
        if !number && (before.is_some_and(is_part) || after.is_some_and(|ch| matches!(ch, '/' | '-'))) {
            return (length, None);
        }
        let keyword = match self.language {
            Language::Sql => self.language.keywords().iter().any(|k| k.eq_ignore_ascii_case(word)),
            _ => self.language.keywords().contains(&word),
        };
        (length, if number { Some(Token::Number) } else { keyword.then_some(Token::Keyword) })
    }

    fn comment(&mut self, at: usize, rest: &str) -> Option<usize> {
        let before = self.code[..at].chars().next_back();
        let stands_alone = before.is_none_or(char::is_whitespace);
        let (line, block) = match self.language {
            Language::Shell => (stands_alone && rest.starts_with('#'), false),
            Language::Python => (rest.starts_with('#'), false),
            Language::Sql => (rest.starts_with("--"), true),
            Language::Json => (false, false),
            Language::Generic => (stands_alone && (rest.starts_with("//") || rest.starts_with("# ")), true),
        };
        if line {
            // A lone CR ends a line for some interpreters.
            return Some(rest.find(['\n', '\r']).unwrap_or(rest.len()));
        }
        // MySQL runs what stands in /*! */, so that is no comment.
        if !block || at < self.unclosed[3] || !rest.starts_with("/*") || rest.starts_with("/*!") {
            return None;
        }
        let end = rest[2..].find("*/");
        if end.is_none() {
            self.unclosed[3] = self.code.len();
        }
        end.map(|end| end + 4)
    }

    /// The length of the string that starts at `at`, if it starts and ends.
    fn string(&mut self, at: usize, quote: char) -> Option<usize> {
        let slot = match (quote, self.language) {
            ('"', _) => 0,
            ('\'', language) if language != Language::Json => 1,
            ('`', Language::Generic) => 2,
            _ => return None,
        };
        let rest = &self.code[at..];
        let triple =
            ["\"\"\"", "'''"].into_iter().find(|t| self.language == Language::Python && rest.starts_with(t));
        if let Some(triple) = triple
            && let Some(end) = rest[3..].find(triple)
        {
            return Some(end + 6);
        }
        if at < self.unclosed[slot] {
            return None;
        }
        let one_line = !matches!(self.language, Language::Shell | Language::Sql) && quote != '`';
        let has_escapes =
            self.language != Language::Sql && !(self.language == Language::Shell && quote == '\'');
        let mut is_escaped = false;
        for (offset, c) in rest.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if has_escapes => is_escaped = true,
                '\n' if one_line => {
                    self.unclosed[slot] = at + offset;
                    return None;
                }
                c if c == quote => return Some(offset + 1),
                _ => {}
            }
        }
        self.unclosed[slot] = self.code.len();
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn coloured(language: Language, code: &str) -> Vec<(&str, &'static str)> {
        let mut out = Vec::new();
        tokens(language, code, |text, token| out.extend(token.map(|t| (text, t.class()))));
        out
    }

    #[test]
    fn each_language_has_its_strings_comments_and_keywords() {
        assert_eq!(
            coloured(Language::Shell, "if rm -rf '/a b' # gone\n"),
            [("if", "tok-kw"), ("'/a b'", "tok-str"), ("# gone", "tok-com")]
        );
        assert_eq!(
            coloured(Language::Sql, "DROP TABLE x -- y\n; '1' 2.5"),
            [
                ("DROP", "tok-kw"),
                ("TABLE", "tok-kw"),
                ("-- y", "tok-com"),
                ("'1'", "tok-str"),
                ("2.5", "tok-num")
            ]
        );
        assert_eq!(
            coloured(Language::Json, r#"{"a\"b" : [true, "c"]}"#),
            [(r#""a\"b""#, "tok-kw"), ("true", "tok-kw"), (r#""c""#, "tok-str")]
        );
        assert_eq!(
            coloured(Language::Python, "def f(): '''a\n#b''' #c"),
            [("def", "tok-kw"), ("'''a\n#b'''", "tok-str"), ("#c", "tok-com")]
        );
    }

    #[test]
    fn what_runs_does_not_look_like_a_comment() {
        for (language, code) in [
            (Language::Shell, "${x#y} a#b http://x"),
            (Language::Sql, "/*! DROP TABLE x */"),
            (Language::Generic, "https://example.com don't"),
            (Language::Generic, "/* unclosed"),
        ] {
            assert!(!coloured(language, code).iter().any(|(_, class)| *class == "tok-com"), "{code}");
        }
    }

    #[test]
    fn a_part_of_a_path_is_no_keyword() {
        assert_eq!(coloured(Language::Generic, "mv /var/log/a --for x.if if/ $in"), []);
        assert_eq!(coloured(Language::Generic, "if (x) return"), [("if", "tok-kw"), ("return", "tok-kw")]);
    }

    proptest! {
        #[test]
        fn colouring_keeps_every_character(text in "[ -~\n\u{430}\"'`#/*\\\\]{0,200}|\\PC{0,40}") {
            for language in [Language::Shell, Language::Sql, Language::Json, Language::Python, Language::Generic] {
                let mut out = String::new();
                tokens(language, &text, |part, _| out.push_str(part));
                prop_assert_eq!(&out, &text);
            }
        }
    }
}
