//! How a person wants the pages to be.

use serde::{Deserialize, Serialize};

/// Which colours the pages have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// Those of the device.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// Every theme.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The text of the forms, the style sheet and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Reads the text.
    pub fn from_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text)
    }
}

/// What a person has chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferences {
    /// The colours.
    pub theme: Theme,
    /// Whether single keys do something in the inbox.
    pub shortcuts: bool,
    /// The IANA name of the time zone that times are shown in; the project's if absent.
    pub time_zone: Option<String>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { theme: Theme::default(), shortcuts: true, time_zone: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theme_names_round_trip() {
        for theme in Theme::ALL {
            assert_eq!(Theme::from_text(theme.as_str()), Some(theme));
        }
        assert_eq!(Theme::from_text("sepia"), None);
    }
}
