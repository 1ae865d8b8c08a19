//! Lengths of time in the few words that fit into a list.

/// A length of time in its largest unit, rounded down: `45 s`, `27 min`, `6 h`. A few days get their hours too, because
/// "2 d" of what was three days a second ago is no help: `2 d 23 h`.
pub fn words(secs: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match secs {
        0..MINUTE => format!("{secs} s"),
        MINUTE..HOUR => format!("{} min", secs / MINUTE),
        HOUR..172_800 => format!("{} h", secs / HOUR),
        172_800..604_800 if secs % DAY >= HOUR => format!("{} d {} h", secs / DAY, secs % DAY / HOUR),
        _ => format!("{} d", secs / DAY),
    }
}

/// An instant as seen from another one `from_now` seconds before it: `in 27 min`, `2 min ago`, `just now`.
pub fn relative(from_now: i64) -> String {
    match from_now {
        -4..=0 => "just now".to_owned(),
        1.. => format!("in {}", words(from_now.unsigned_abs())),
        _ => format!("{} ago", words(from_now.unsigned_abs())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_unit_that_fits_is_used() {
        let read = [0, 59, 60, 3599, 3600, 172_799, 172_800, 259_199, 259_200, 1_000_000].map(words);
        assert_eq!(read, ["0 s", "59 s", "1 min", "59 min", "1 h", "47 h", "2 d", "2 d 23 h", "3 d", "11 d"]);
    }

    #[test]
    fn past_and_future_read_differently() {
        assert_eq!(relative(1_620), "in 27 min");
        assert_eq!(relative(-120), "2 min ago");
        assert_eq!(relative(0), "just now");
    }
}
