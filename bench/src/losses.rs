//! The to-do list of precision: what was lost in traces, by name.
//!
//! In: traces. Out: a table of escapes and concretisations with counts.

use parallax_trace::format::*;
use parallax_trace::sites::ProgramMap;
use parallax_trace::{Event, Trace};
use std::collections::BTreeMap;

/// What was lost, how often, in how many runs, and where first.
#[derive(Default)]
pub struct Losses {
    by_name: BTreeMap<String, Loss>,
    /// Runs looked at.
    pub runs: usize,
    /// Labels dropped because code without instrumentation had changed the memory.
    pub stale: u64,
    /// Runs whose trace did not fit.
    pub cut: usize,
}

#[derive(Default)]
struct Loss {
    events: usize,
    runs: usize,
    place: String,
}

impl Losses {
    pub fn add(&mut self, program: &str, trace: &Trace, map: &ProgramMap) {
        let mut here: BTreeMap<String, (usize, u32)> = BTreeMap::new();
        for event in trace.events() {
            let (name, site) = match event {
                Event::Escape { function, site, .. } => {
                    (format!("escape into {}", String::from_utf8_lossy(function)), site)
                }
                Event::Concrete { reason, site, .. } => (format!("concrete: {}", reason_name(reason)), site),
                _ => continue,
            };
            here.entry(name).or_insert((0, site)).0 += 1;
        }
        for (name, (events, site)) in here {
            let loss = self.by_name.entry(name).or_default();
            loss.events += events;
            loss.runs += 1;
            if loss.place.is_empty() {
                loss.place = format!("{program}: {}", place(map, site));
            }
        }
        self.runs += 1;
        self.stale += u64::from(trace.header().stale);
        self.cut += usize::from(trace.is_cut());
    }

    /// A Markdown table, most runs first.
    pub fn table(&self) -> String {
        let mut rows: Vec<_> = self.by_name.iter().collect();
        rows.sort_by_key(|(name, loss)| (std::cmp::Reverse(loss.runs), name.as_str()));
        let mut text = format!(
            "{} runs; labels dropped as stale: {}; traces cut: {}\n\n| lost | events | runs | first seen |\n| --- | --- | --- | --- |\n",
            self.runs, self.stale, self.cut
        );
        for (name, loss) in rows {
            text += &format!("| {name} | {} | {} | {} |\n", loss.events, loss.runs, loss.place);
        }
        text
    }
}

/// Function and line of a site.
pub fn place(map: &ProgramMap, site: u32) -> String {
    let Some(info) = map.sites.get(site as usize) else { return "inside libc".into() };
    let function = map.blocks.get(info.block as usize).and_then(|b| map.functions.get(b.function as usize));
    function.map_or_else(|| format!("line {}", info.line), |f| format!("{}:{}", f.name, info.line))
}

fn reason_name(reason: u16) -> &'static str {
    match reason {
        CONCRETE_STORE_ADDRESS => "address of a store",
        CONCRETE_LOAD_ADDRESS => "address of a load",
        CONCRETE_FLOAT => "floating point",
        CONCRETE_VECTOR => "vector",
        CONCRETE_WIDE => "wider than 64 bits",
        CONCRETE_ASM => "assembler",
        CONCRETE_ATOMIC => "atomic",
        CONCRETE_SIZE => "size of memory",
        CONCRETE_CALL_TARGET => "call target",
        CONCRETE_INTRINSIC => "intrinsic",
        CONCRETE_LIBC => "in a libc model",
        CONCRETE_OPAQUE => "code left as it is",
        _ => "unknown reason",
    }
}
