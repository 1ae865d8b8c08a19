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
    /// What was asked for so far.
    known: Vec<&'static str>,
}

impl<S: Send + Sync> FromRequestParts<S> for QueryPairs {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query = axum::extract::Query::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        match query {
            Ok(query) => Ok(Self { pairs: query.0, errors: Vec::new(), known: Vec::new() }),
            Err(error) => Err(Problem::new(StatusCode::BAD_REQUEST, error.body_text())),
        }
    }
}

impl QueryPairs {
    /// The one value of a parameter.
    fn one(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
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
    pub(super) fn list(&mut self, name: &'static str) -> Vec<String> {
        self.known.push(name);
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
    /// With everything that was found wrong, misspelt parameters among it: a filter that filters nothing gives an answer
    /// to another question. Foreign ones are ignored.
    pub(super) fn finish(mut self) -> Result<(), Problem> {
        let unknown = self.pairs.iter().filter(|(name, _)| !self.known.contains(&name.as_str()));
        let misspelt: Vec<FieldError> = unknown
            .filter_map(|(name, _)| {
                let meant = self.known.iter().find(|known| is_nearly(name, known))?;
                let text =
                    format!("is no parameter here. Did you mean {meant}? Name it so, or leave it out.");
                Some(FieldError::invalid(name.chars().take(100).collect::<String>(), text))
            })
            .collect();
        self.errors.extend(misspelt);
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::invalid(&self.errors)) }
    }
}

/// Whether a name was meant to be another: in other letters of case, or with one letter wrong, of a longer one two.
fn is_nearly(name: &str, known: &str) -> bool {
    if name.len() > 2 * known.len() {
        return false;
    }
    let most = if known.len() > 4 { 2 } else { 1 };
    strsim::osa_distance(&name.to_lowercase().replace('-', "_"), known) <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_parameters_are_told_from_foreign_ones() {
        for (name, known) in
            [("verdct", "verdict"), ("Kind", "kind"), ("entity-id", "entity_id"), ("untill", "until")]
        {
            assert!(is_nearly(name, known), "{name}");
        }
        for (name, known) in [("page", "limit"), ("offset", "since"), ("utm_source", "since"), ("_", "q1")] {
            assert!(!is_nearly(name, known), "{name}");
        }
    }
}
