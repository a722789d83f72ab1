//! The line that shows how far a search is.
//!
//! In: counters and the width of the terminal. Out: one line without a newline.
//!
//! Always holds: the line is shorter than the terminal is wide, so that it can be rewritten in place.

use parallax_search::Stats;

/// The width where nothing better is known.
pub const USUAL_WIDTH: usize = 80;

/// As much as fits: what says least is left out first.
pub fn line(stats: &Stats, differences: usize, width: usize) -> String {
    let rate = |n: u64| (n as f64 / stats.seconds.max(0.001)) as u64;
    let seconds = format!("{:.0} s", stats.seconds);
    let inputs = format!("{} inputs", short(stats.runs));
    let queries = format!("{} queries", short(stats.queries));
    let branches = format!("branches {}/{}", short(stats.flipped_sites), short(stats.symbolic_sites));
    let mut found = format!("differences {differences}");
    if stats.targets > 0 {
        found = format!("targets {}/{}, {found}", short(stats.reached_targets), short(stats.targets));
    }
    let per_second = |text: &str, n: u64| format!("{text} ({}/s)", short(rate(n)));
    let (fast_inputs, fast_queries) = (per_second(&inputs, stats.runs), per_second(&queries, stats.queries));
    let forms = [
        vec![&seconds, &fast_inputs, &fast_queries, &branches, &found],
        vec![&seconds, &fast_inputs, &queries, &branches, &found],
        vec![&seconds, &fast_inputs, &branches, &found],
        vec![&seconds, &inputs, &branches, &found],
        vec![&seconds, &inputs, &found],
    ];
    let texts = forms.map(|parts| parts.into_iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    let fits = texts.iter().find(|text| text.len() < width).or(texts.last());
    fits.map_or(String::new(), |text| text.chars().take(width.saturating_sub(1)).collect())
}

/// A number in at most five characters.
fn short(n: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M"), (10_000, "k")];
    for (from, unit) in UNITS {
        if n >= from {
            let size = if unit == "k" { 1000 } else { from };
            let whole = n / size;
            return if whole >= 100 {
                format!("{whole}{unit}")
            } else {
                format!("{whole}.{}{unit}", n % size * 10 / size)
            };
        }
    }
    n.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(n: u64, seconds: f64) -> Stats {
        Stats { runs: n, queries: n, flipped_sites: n, symbolic_sites: n, seconds, ..Stats::default() }
    }

    #[test]
    fn the_line_fits_at_every_width_and_for_all_numbers() {
        for n in [0, 9, 999, 9_999, 10_000, 123_456, 99_999_999, 123_456_789_012, u64::MAX / 16] {
            for seconds in [0.0, 59.4, 86_400.0] {
                for width in [10, 40, USUAL_WIDTH, 132] {
                    let text = line(&stats(n, seconds), n as usize, width);
                    assert!(text.len() < width, "{width}: {text}");
                }
            }
        }
    }

    #[test]
    fn an_ordinary_line_at_80_columns_has_everything() {
        let text = line(&stats(12_345, 60.0), 3, USUAL_WIDTH);
        for part in ["60 s", "12.3k inputs (205/s)", "12.3k queries", "branches 12.3k/12.3k", "differences 3"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        // With the name before it there is no room for everything.
        let text = line(&stats(12_345, 60.0), 3, USUAL_WIDTH - "parallax: ".len());
        assert_eq!(text, "60 s, 12.3k inputs (205/s), branches 12.3k/12.3k, differences 3");
    }

    #[test]
    fn numbers_are_short_and_never_rounded_up() {
        for (n, text) in [(9_999, "9999"), (10_000, "10.0k"), (999_999, "999k"), (1_250_000, "1.2M")] {
            assert_eq!(short(n), text);
        }
    }
}
