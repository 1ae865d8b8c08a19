//! How a length of time is written on the command line.

use std::time::Duration;

/// Reads `30d`, `12h`, `45m` or `90s`.
pub(super) fn parse_lifetime(text: &str) -> Result<Duration, String> {
    let wrong = || "use a number and d, h, m or s, such as 30d or 12h".to_owned();
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let secs_per_unit: u64 = match unit {
        'd' => 24 * 60 * 60,
        'h' => 60 * 60,
        'm' => 60,
        's' => 1,
        _ => return Err(wrong()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    // A hundred years, so that adding it to now stays a date.
    let longest = 100 * 365 * 24 * 60 * 60;
    match number.checked_mul(secs_per_unit) {
        Some(secs) if (1..=longest).contains(&secs) => Ok(Duration::from_secs(secs)),
        _ => Err("it must be more than nothing and at most 100 years".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_days_hours_minutes_and_seconds() {
        for (text, secs) in [("30d", 2_592_000), ("12h", 43_200), ("45m", 2_700), ("90s", 90)] {
            assert_eq!(parse_lifetime(text), Ok(Duration::from_secs(secs)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_no_length_of_time() {
        for text in
            ["", "d", "30", "30w", "-1d", "1.5h", "0d", "30 d", "99999999999999999999d", "40000d", "3é"]
        {
            assert!(parse_lifetime(text).is_err(), "{text}");
        }
    }
}
