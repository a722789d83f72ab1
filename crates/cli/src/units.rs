//! Durations and sizes as people write them: `500ms`, `10s`, `2m`; `4096`, `64K`, `1G`.
//!
//! In: text from the command line. Out: a value, or what is wrong with the text.

use std::time::Duration;

/// A duration; a number without a unit means seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let factor = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`: use ms, s, m or h")),
    };
    let value: f64 = number.parse().map_err(|_| format!("`{number}` is not a number"))?;
    let seconds = value * factor;
    if seconds <= 0.0 {
        return Err("must be more than zero".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| "too long".to_owned())
}

/// A size or count with an optional K, M or G (powers of 1024).
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let shift = match unit {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        _ => return Err(format!("unknown unit `{unit}`: use K, M or G")),
    };
    let value: u64 = number.parse().map_err(|_| format!("`{number}` is not a whole number"))?;
    value.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

/// A size for people, in the largest unit that does not hide anything.
pub fn shown(bytes: u64) -> String {
    let units = [(30, "GB"), (20, "MB"), (10, "KB")];
    let fits = |(shift, _): &(u32, &str)| bytes > 0 && bytes % (1 << shift) == 0;
    match units.into_iter().find(fits) {
        Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} bytes"),
    }
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_and_default_to_seconds() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("10"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        for bad in ["", "0", "s", "1x", "-1s", "1e400", "99999999999999999999999h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_shown_as_they_are_written() {
        let sizes = [64 << 20, 1 << 30, 3 << 10, 1000, 0];
        assert_eq!(sizes.map(shown), ["64 MB", "1 GB", "3 KB", "1000 bytes", "0 bytes"]);
    }

    #[test]
    fn sizes_are_powers_of_1024_and_never_wrap() {
        assert_eq!(size("4096"), Ok(4096));
        assert_eq!(size("64K"), Ok(65536));
        assert_eq!(size("1G"), Ok(1 << 30));
        for bad in ["", "K", "1.5M", "1T", "99999999999G"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
