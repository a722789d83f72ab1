//! A run in dependence mode, summed up: the JSON document of `parallax trace --mode dependence` and its text.
//!
//! Every field is explained in the book (`docs/book/json.md`), and a test keeps it so.

use crate::text::{count, Text};
use serde::Serialize;
use std::fmt::Write;

#[derive(Clone, Debug, Default, Serialize)]
pub struct DependenceView {
    pub schema: &'static str,
    pub program: Text,
    pub mode: &'static str,
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    pub limit: Option<&'static str>,
    pub blocks: u64,
    pub loads: u64,
    pub stores: u64,
    pub calls: u64,
    pub returns: u64,
    pub outside: u64,
    pub distinct_blocks: u64,
    pub distinct_bytes_written: u64,
    pub threads: u64,
    pub cut: bool,
    pub seconds: f64,
    pub events_per_second: f64,
    pub hottest: Vec<HotFunction>,
}

#[derive(Clone, Debug, Serialize)]
pub struct HotFunction {
    pub function: String,
    pub entered: u64,
    pub blocks: u64,
}

impl DependenceView {
    /// Blocks, accesses, calls and returns.
    pub fn events(&self) -> u64 {
        self.blocks + self.loads + self.stores + self.calls + self.returns
    }

    /// One JSON document, with a newline at the end.
    pub fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// For a terminal.
    pub fn human(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} ({} different), {} ({} different bytes written), {}, {}",
            count(self.blocks, "block", "blocks"),
            self.distinct_blocks,
            count(self.loads + self.stores, "memory access", "memory accesses"),
            self.distinct_bytes_written,
            count(self.calls, "call", "calls"),
            count(self.returns, "return", "returns"),
        );
        let _ = writeln!(
            text,
            "{} by code without instrumentation, {}",
            count(self.outside, "range", "ranges"),
            count(self.threads, "thread", "threads")
        );
        for hot in &self.hottest {
            let _ = writeln!(
                text,
                "  {}: {}, entered {} times",
                hot.function,
                count(hot.blocks, "block", "blocks"),
                hot.entered
            );
        }
        if self.cut {
            text.push_str("The trace was cut: raise --trace-events.\n");
        }
        let _ = writeln!(
            text,
            "{:.3} s, {:.1} million events a second; {}",
            self.seconds,
            self.events_per_second / 1e6,
            self.ending()
        );
        text
    }

    fn ending(&self) -> String {
        match (self.limit, self.signal, self.exit) {
            (Some(limit), _, _) => format!("ended by a limit: {limit}"),
            (_, Some(signal), _) => format!("ended by signal {signal}"),
            (_, _, Some(exit)) => format!("exit {exit}"),
            _ => "no ending is known".into(),
        }
    }
}
