//! Reads query strings: every parameter that is wrong is named, with what was sent.

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;

use crate::domain::Instant;
use crate::domain::text::FieldError;
use crate::server::http::problem::Problem;

/// The parameters of a request, and what was found wrong with them so far.
pub(super) struct QueryPairs {
    pairs: Vec<(String, String)>,
    errors: Vec<FieldError>,
}

impl<S: Send + Sync> FromRequestParts<S> for QueryPairs {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        match query {
            Ok(query) => Ok(Self { pairs: query.0, errors: Vec::new() }),
            Err(error) => Err(Problem::new(StatusCode::BAD_REQUEST, error.body_text())),
        }
    }
}

impl QueryPairs {
    /// The one value of a parameter.
    fn one(&mut self, name: &'static str) -> Option<String> {
        let mut given = self.pairs.iter().filter(|(key, _)| key == name).map(|(_, value)| value.clone());
        let (value, is_twice) = (given.next()?, given.next().is_some());
        if is_twice {
            self.wrong(name, "was given twice. Send it once.");
        }
        Some(value)
    }

    /// A text; an empty one counts as absent.
    pub(super) fn text(&mut self, name: &'static str, max_chars: usize) -> Option<String> {
        let value = self.one(name).filter(|value| !value.is_empty())?;
        let sent = value.chars().count();
        if sent > max_chars {
            self.errors.push(FieldError::too_long(name, max_chars as u64, sent as u64, "characters"));
        }
        if value.contains('\0') {
            self.wrong(name, "holds a NUL character (U+0000). Remove it.");
        }
        Some(value)
    }

    /// Every value of a parameter that may be given several times or with commas.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let given = self.pairs.iter().filter(|(key, _)| key == name);
        let parts = given.flat_map(|(_, value)| value.split(','));
        parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// A whole number within bounds. An empty one is wrong: it is an unset variable in somebody's script.
    pub(super) fn number(&mut self, name: &'static str, min: i64, max: i64) -> Option<i64> {
        let text = self.one(name)?;
        let number = text.parse().ok().filter(|number| (min..=max).contains(number));
        if number.is_none() {
            self.wrong(name, format!("must be a whole number from {min} to {max}; {text:?} was sent."));
        }
        number
    }

    /// Yes or no; no if absent.
    pub(super) fn switch(&mut self, name: &'static str) -> bool {
        let text = self.one(name).filter(|text| !text.is_empty());
        if text.as_deref().is_some_and(|text| !matches!(text, "true" | "false")) {
            self.wrong(
                name,
                format!("must be true or false; {:?} was sent.", text.as_deref().unwrap_or_default()),
            );
        }
        text.as_deref() == Some("true")
    }

    /// An instant in Unix seconds.
    pub(super) fn instant(&mut self, name: &'static str) -> Option<Instant> {
        // The last second of the year 9999, the last that a date can be written of.
        let seconds = self.number(name, 0, 253_402_300_799)?;
        Instant::from_unix_timestamp(seconds).ok()
    }

    /// Notes that a parameter breaks a rule.
    pub(super) fn wrong(&mut self, name: &'static str, message: impl Into<String>) {
        self.errors.push(FieldError::invalid(name, message));
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// With everything that was found wrong.
    pub(super) fn finish(self) -> Result<(), Problem> {
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::invalid(&self.errors)) }
    }
}
