//! `parallax cache`: what is in the cache, and less of it.
//!
//! In: the command line. Out: the text to print.
//!
//! Always holds: what a running Parallax uses stays.

use crate::args::{CacheAction, CacheArgs};
use crate::diff_args::DiffFormat;
use crate::error::CliError;
use parallax_build::storage::{self, Contents, Removed};
use parallax_build::Cache;
use parallax_report::SCHEMA;
use serde::Serialize;
use std::time::SystemTime;

#[derive(Serialize)]
struct Document<'c> {
    schema: &'static str,
    #[serde(flatten)]
    contents: &'c Contents,
    /// Bytes that this command removed.
    removed: u64,
}

pub fn cache(args: &CacheArgs) -> Result<String, CliError> {
    let cache = Cache::from_environment();
    let mut removed = Removed::default();
    if let Some(limit) = args.limit {
        removed = storage::set_limit(&cache, limit)?;
    }
    if args.action == Some(CacheAction::Clean) {
        let cleaned = storage::clean(&cache);
        removed = Removed { size: removed.size + cleaned.size, in_use: cleaned.in_use };
    }
    let contents = storage::contents(&cache);
    match args.format {
        DiffFormat::Json => {
            let document = Document { schema: SCHEMA, contents: &contents, removed: removed.size };
            Ok(serde_json::to_string_pretty(&document)? + "\n")
        }
        DiffFormat::Human => Ok(human(&contents, &removed)),
    }
}

fn human(contents: &Contents, removed: &Removed) -> String {
    let mut text = String::new();
    if removed.size > 0 || removed.in_use > 0 {
        text.push_str(&format!("removed {}\n", size(removed.size)));
    }
    if removed.in_use > 0 {
        text.push_str(&format!("{} stay: a running Parallax uses them\n", size(removed.in_use)));
    }
    let (used, limit) = (size(contents.size), size(contents.limit));
    text.push_str(&format!("{}: {used} of at most {limit}\n", contents.directory.display()));
    for build in &contents.builds {
        let (space, age) = (size(build.size), age(build.used));
        let source = if build.source.is_empty() { "(unfinished)" } else { &build.source };
        text.push_str(&format!(
            "{space:>10}  build of {source}: {}, used {age} ago\n",
            one_line(&build.command)
        ));
    }
    for (kind, amount) in &contents.kinds {
        text.push_str(&format!("{:>10}  {kind}: {}\n", size(amount.size), amount.count));
    }
    text
}

/// Commands can be long and have many lines.
fn one_line(command: &str) -> String {
    const SHOWN: usize = 60;
    let words = command.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words,
    }
}

fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    let unit = UNITS.iter().find(|(_, unit)| bytes >= *unit);
    unit.map_or(format!("{bytes} B"), |(name, unit)| format!("{:.1} {name}", bytes as f64 / *unit as f64))
}

fn age(then: u64) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let seconds = now.saturating_sub(then);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} minutes", seconds / 60),
        7_200..=172_799 => format!("{} hours", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
