//! How many requests a key may make in a minute, by what they are for.

use super::ConfigError;

/// What a request of the API is for, as far as limits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateClass {
    /// New proposals.
    Propose,
    /// Reads, waits and streams.
    Read,
    /// Decisions.
    Decide,
    /// Claims, results, withdrawals and whatever else follows a decision.
    Run,
    /// Keys and settings.
    Manage,
    /// Exports.
    Export,
}

impl RateClass {
    /// Every class, with the requests a minute that it allows unless the operator says otherwise. They protect the
    /// server from a loop gone wild, they don't meter anybody.
    pub const DEFAULTS: [(Self, u32); 6] = [
        (Self::Propose, 6_000),
        (Self::Read, 60_000),
        (Self::Decide, 6_000),
        (Self::Run, 12_000),
        (Self::Manage, 600),
        (Self::Export, 30),
    ];

    /// Its name in the setting and in `/metrics`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Propose => "propose",
            Self::Read => "read",
            Self::Decide => "decide",
            Self::Run => "run",
            Self::Manage => "manage",
            Self::Export => "export",
        }
    }
}

/// The limits, in requests a minute and key; a class that is not there has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateSettings(Vec<(RateClass, u32)>);

impl Default for RateSettings {
    fn default() -> Self {
        Self(RateClass::DEFAULTS.to_vec())
    }
}

impl RateSettings {
    /// Reads `off`, or what differs from the defaults: `propose=100,read=off`.
    ///
    /// # Errors
    /// Names the part that can't be read.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let mut limits = RateClass::DEFAULTS.to_vec();
        if text.trim() == "off" {
            return Ok(Self(Vec::new()));
        }
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong = || ConfigError::RateLimits { part: part.to_owned() };
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let class = RateClass::DEFAULTS.iter().map(|(class, _)| *class);
            let class = class.into_iter().find(|class| class.as_str() == name.trim()).ok_or_else(wrong)?;
            limits.retain(|(known, _)| *known != class);
            match value.trim() {
                "off" => {}
                number => match number.parse() {
                    Ok(limit) if limit > 0 => limits.push((class, limit)),
                    _ => return Err(wrong()),
                },
            }
        }
        Ok(Self(limits))
    }

    /// Every class that has a limit.
    pub fn iter(&self) -> impl Iterator<Item = (RateClass, u32)> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(settings: &RateSettings, wanted: RateClass) -> Option<u32> {
        settings.iter().find(|(class, _)| *class == wanted).map(|(_, limit)| limit)
    }

    #[test]
    fn what_is_not_named_keeps_its_default() {
        let settings = RateSettings::parse("propose = 5, read=off").unwrap();
        assert_eq!(limit(&settings, RateClass::Propose), Some(5));
        assert_eq!(limit(&settings, RateClass::Read), None);
        assert_eq!(limit(&settings, RateClass::Decide), Some(6_000));
        assert_eq!(RateSettings::parse("").unwrap(), RateSettings::default());
        assert_eq!(RateSettings::parse("off").unwrap().iter().count(), 0);
    }

    #[test]
    fn what_cannot_be_read_stops_the_start() {
        for text in ["propose", "propose=0", "propose=-1", "propose=many", "write=5", "on"] {
            assert!(RateSettings::parse(text).is_err(), "{text}");
        }
    }
}
