//! `parallax trace --mode dependence`: one run in which everything is recorded, summed up.
//!
//! In: a resolved job. Out: the text or JSON document to print.

use crate::args::Format;
use crate::engine;
use crate::error::CliError;
use crate::resolve::TraceJob;
use parallax_report::{DependenceView, HotFunction, SCHEMA};
use parallax_trace::dependence::{Decoder, DependenceMap, Effect, Event, Shadow};
use parallax_trace::format::FLAG_EVENTS_FULL;
use std::collections::BTreeSet;
use std::time::Instant;

/// Functions shown of those in which most blocks ran.
const HOTTEST: usize = 10;

pub fn summary(job: &TraceJob) -> Result<String, CliError> {
    if job.format == Format::Smtlib {
        return Err(CliError::usage("--format smtlib is for --mode symbolic: this mode has no conditions"));
    }
    let (mut executor, map) = engine::prepare(job)?;
    let map = map.dependence.unwrap_or_default();
    let mut count = Count::new(&map);
    let mut decoder = Decoder::new(&map);
    let mut broken = None;
    let started = Instant::now();
    let limits = engine::limits(&job.limits, job.time);
    let run = executor.run_streamed(&job.inputs.test_case(), &limits, &mut |chunk| {
        let decoded = decoder.decode(chunk, |at, event| count.event(at.thread, event));
        broken = broken.take().or(decoded.err());
    })?;
    if let Some(error) = broken {
        return Err(error.into());
    }
    let seconds = started.elapsed().as_secs_f64();
    let (exit, signal, limit) = parallax_report::kept::ending(&run.outcome);
    let mut view = count.view();
    view.program = parallax_report::Text::from(engine::name(&job.target).as_bytes());
    (view.exit, view.signal, view.limit) = (exit, signal, limit);
    view.cut = executor.arena().header().flags & FLAG_EVENTS_FULL != 0;
    view.seconds = seconds;
    view.events_per_second = view.events() as f64 / seconds;
    match job.format {
        Format::Json => Ok(view.json()?),
        _ => Ok(view.human()),
    }
}

struct Count<'m> {
    map: &'m DependenceMap,
    view: DependenceView,
    /// Runs of each block.
    blocks: Vec<u64>,
    entered: Vec<u64>,
    /// Which bytes were written.
    written: Shadow<bool>,
    threads: BTreeSet<u32>,
}

impl<'m> Count<'m> {
    fn new(map: &'m DependenceMap) -> Count<'m> {
        Count {
            map,
            view: DependenceView { schema: SCHEMA, mode: "dependence", ..DependenceView::default() },
            blocks: vec![0; map.first_block.last().copied().unwrap_or(0) as usize],
            entered: vec![0; map.functions.len()],
            written: Default::default(),
            threads: BTreeSet::new(),
        }
    }

    fn event(&mut self, thread: u32, event: Event) {
        match event {
            Event::Block { block } => {
                self.view.blocks += 1;
                self.blocks[block as usize] += 1;
            }
            Event::Enter { function } => {
                self.entered[function as usize] += 1;
                self.threads.insert(thread);
            }
            Event::Load { .. } => self.view.loads += 1,
            Event::Store { address, bytes, .. } | Event::Fill { address, bytes, .. } => {
                self.view.stores += 1;
                self.written.set(address, bytes, true);
            }
            Event::Copy { to, bytes, .. } => {
                self.view.loads += 1;
                self.view.stores += 1;
                self.written.set(to, bytes, true);
            }
            Event::Call { .. } => self.view.calls += 1,
            Event::Return { .. } => self.view.returns += 1,
            Event::Outside { effect, .. } => self.outside(effect),
            _ => {}
        }
    }

    fn outside(&mut self, effect: Effect) {
        self.view.outside += 1;
        match effect {
            Effect::Writes { address, bytes } | Effect::Copies { to: address, bytes, .. } => {
                self.written.set(address, bytes, true)
            }
            _ => {}
        }
    }

    fn view(mut self) -> DependenceView {
        self.view.distinct_blocks = self.blocks.iter().filter(|n| **n > 0).count() as u64;
        self.view.distinct_bytes_written = self.written.values().filter(|w| *w).count() as u64;
        self.view.threads = self.threads.len() as u64;
        let mut functions: Vec<HotFunction> = (self.map.first_block.windows(2).zip(&self.map.functions))
            .zip(&self.entered)
            .map(|((range, name), entered)| HotFunction {
                function: name.clone(),
                entered: *entered,
                blocks: self.blocks[range[0] as usize..range[1] as usize].iter().sum(),
            })
            .filter(|f| f.blocks > 0)
            .collect();
        functions.sort_by(|a, b| b.blocks.cmp(&a.blocks).then_with(|| a.function.cmp(&b.function)));
        functions.truncate(HOTTEST);
        self.view.hottest = functions;
        self.view
    }
}
