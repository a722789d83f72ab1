//! From a run and its trace to a [`TraceView`].
//!
//! In: [`Run`]. Out: the view: events sorted into lists by kind, repeated losses counted instead of
//! listed, formulas made.

use crate::place::Place;
use crate::text::{count, Text};
use crate::view::*;
use crate::SCHEMA;
use parallax_trace::format::*;
use parallax_trace::formula::{input_name, FormulaLimits, Printer};
use parallax_trace::reader::{Event, OutputByte, OutputBytes, Trace};
use parallax_trace::request::Source;
use parallax_trace::sites::ProgramMap;
use std::collections::{BTreeMap, BTreeSet};

/// One run, as whoever ran it describes it.
pub struct Run<'r> {
    pub program: &'r [u8],
    pub exit: Option<i32>,
    pub signal: Option<i32>,
    /// The limit that ended it, in a word.
    pub limit: Option<&'static str>,
    pub stdout: &'r [u8],
    pub stderr: &'r [u8],
    pub seconds: f64,
    pub cpu_seconds: f64,
    pub trace: &'r Trace<'r>,
    pub map: &'r ProgramMap,
    pub formulas: FormulaLimits,
}

/// Everything worth telling about a run.
pub fn view(run: &Run) -> TraceView {
    let mut collector = Collector {
        run,
        printer: Printer::new(run.trace, run.formulas),
        view: empty(run),
        escapes: BTreeMap::new(),
        concretes: BTreeMap::new(),
        ends: BTreeMap::new(),
        compares: BTreeMap::new(),
        notes: BTreeMap::new(),
    };
    for (number, event) in run.trace.events().enumerate() {
        collector.event(number as u64, &event);
        collector.definitions(number as u64);
    }
    collector.finish()
}

fn empty(run: &Run) -> TraceView {
    let inputs = run.trace.inputs().iter().map(|input| InputView {
        name: input_name(input),
        kind: match input.source {
            Source::Argument(_) => "argument",
            Source::Stdin => "stdin",
            Source::File(_) => "file",
            Source::Env(_) => "env",
        },
        bytes: Text(input.bytes.clone()),
        length: input.bytes.len() as u64,
        symbolic: input.symbolic,
    });
    TraceView {
        schema: SCHEMA,
        program: run.program.into(),
        mode: match run.map.mode {
            Some(Mode::Coverage) => "coverage",
            Some(Mode::Symbolic) => "symbolic",
            Some(Mode::Dependence) => "dependence",
            None => "unknown",
        },
        inputs: inputs.collect(),
        exit: run.exit,
        exit_formula: None,
        signal: run.signal,
        limit: run.limit,
        stdout: run.stdout.into(),
        stderr: run.stderr.into(),
        branches: vec![],
        switches: vec![],
        guards: vec![],
        outputs: vec![],
        watches: vec![],
        escapes: vec![],
        concretisations: vec![],
        ends_of_input: vec![],
        options: vec![],
        compares: vec![],
        notes: vec![],
        definitions: vec![],
        tables: vec![],
        stats: Stats::default(),
    }
}

struct Collector<'r> {
    run: &'r Run<'r>,
    printer: Printer<'r>,
    view: TraceView,
    escapes: BTreeMap<(Vec<u8>, u32), u64>,
    /// Reason and site; count and the first label.
    concretes: BTreeMap<(u16, u32), (u64, Label)>,
    /// Input and offset; count and the first event.
    ends: BTreeMap<(u32, u32), (u64, u64)>,
    compares: BTreeMap<(Vec<u8>, Label), u64>,
    notes: BTreeMap<u32, u64>,
}

impl Collector<'_> {
    fn event(&mut self, number: u64, event: &Event) {
        match *event {
            Event::Branch { .. } | Event::Switch { .. } | Event::Guard { .. } => self.choice(number, event),
            Event::Concrete { site, label, reason, .. } => {
                self.concretes.entry((reason, site)).or_insert((0, label)).0 += 1;
            }
            Event::Escape { site, function, .. } => {
                *self.escapes.entry((function.to_vec(), site)).or_default() += 1;
            }
            Event::EndOfInput { input, offset } => {
                self.ends.entry((input, offset)).or_insert((0, number)).0 += 1;
            }
            Event::Output { fd: OUTPUT_EXIT, bytes, .. } => self.exit_status(&bytes),
            Event::Output { fd, file, site, bytes } => self.output(number, fd, file, site, &bytes),
            Event::Watch { site, label, value, context } => {
                let formula = (label != 0).then(|| self.printer.value(label));
                let place = self.place(site);
                self.view.watches.push(WatchView { event: number, place, value, formula, context });
            }
            Event::Options { style, table } => self.view.options.push(options(style, table)),
            Event::Compare { label, token } => {
                *self.compares.entry((token.to_vec(), label)).or_default() += 1;
            }
            Event::Note { note } => *self.notes.entry(note).or_default() += 1,
            Event::Read { .. } => {}
        }
    }

    fn place(&self, site: u32) -> Place {
        Place::of(self.run.map, site)
    }

    /// A branch, a switch or a guard: what the path condition is made of.
    fn choice(&mut self, event: u64, choice: &Event) {
        let trace = self.run.trace;
        let Some(condition) = trace.condition(event as usize, choice, &self.run.map.sites) else { return };
        let place = self.place(condition.site);
        let context = condition.context;
        let formula = self.printer.expectation(condition.label, &condition.expect);
        match *choice {
            Event::Branch { taken, .. } => {
                self.view.branches.push(BranchView { event, place, taken, condition: formula, context });
            }
            Event::Switch { case, label, .. } => {
                let (value, default) = (trace.nodes()[label as usize].value, case.is_none());
                let switch = SwitchView { event, place, value, default, condition: formula, context };
                self.view.switches.push(switch);
            }
            Event::Guard { held, guard, .. } => {
                let kind = guard_name(guard);
                let guard = GuardView { event, place, kind, held, condition: formula, context };
                self.view.guards.push(guard);
            }
            _ => {}
        }
    }

    fn exit_status(&mut self, bytes: &OutputBytes) {
        if let Some(OutputByte::Symbolic(label)) = bytes.iter().next() {
            self.view.exit_formula = Some(self.printer.value(label));
        }
    }

    fn output(&mut self, event: u64, fd: u32, to_file: bool, site: u32, bytes: &OutputBytes) {
        let mut symbolic = Vec::new();
        let mut plain = Vec::with_capacity(bytes.len());
        for (offset, byte) in bytes.iter().enumerate() {
            plain.push(match byte {
                OutputByte::Concrete(byte) => byte,
                OutputByte::Symbolic(label) => {
                    let formula = self.printer.value(label);
                    symbolic.push(SymbolicByte { offset: offset as u64, formula });
                    self.run.trace.nodes()[label as usize].value as u8
                }
            });
        }
        let place = if site == 0 { Place::default() } else { self.place(site) };
        self.view.outputs.push(OutputView { event, place, fd, to_file, bytes: Text(plain), symbolic });
    }

    fn definitions(&mut self, event: u64) {
        for definition in self.printer.new_definitions() {
            let (name, formula) = (definition.name, definition.formula);
            self.view.definitions.push(DefinitionView { event, name, formula });
        }
    }

    fn finish(mut self) -> TraceView {
        let last = self.run.trace.events().count() as u64;
        for ((callee, site), count) in std::mem::take(&mut self.escapes) {
            let place = self.place(site);
            self.view.escapes.push(EscapeView { callee: Text(callee), place, count });
        }
        for ((reason, site), (count, label)) in std::mem::take(&mut self.concretes) {
            let formula = (label != 0).then(|| self.printer.value(label));
            let (reason, place) = (concrete_name(reason), self.place(site));
            self.view.concretisations.push(ConcretisationView { reason, place, count, formula });
        }
        for ((input, offset), (count, event)) in std::mem::take(&mut self.ends) {
            let input = input_name(&self.run.trace.inputs()[input as usize]);
            self.view.ends_of_input.push(EndView { event, input, offset, count });
        }
        self.view.ends_of_input.sort_by_key(|end| end.event);
        for ((token, label), count) in std::mem::take(&mut self.compares) {
            let with = (label != 0).then(|| self.printer.value(label));
            self.view.compares.push(CompareView { token: Text(token), with, count });
        }
        self.definitions(last);
        self.tables();
        self.notes_and_stats();
        self.view
    }

    fn tables(&mut self) {
        let trace = self.run.trace;
        for (i, offset) in self.printer.tables().into_iter().enumerate() {
            let Some(table) = trace.table(offset) else { continue };
            self.view.tables.push(TableView {
                name: format!("T{}", i + 1),
                length: table.bytes.len() as u64,
                symbolic: table.is_symbolic(),
                bytes: table.bytes.into(),
            });
        }
    }

    fn notes_and_stats(&mut self) {
        let (trace, view) = (self.run.trace, &mut self.view);
        view.notes = notes(trace, &self.notes);
        let header = trace.header();
        let used: BTreeSet<_> = trace
            .nodes()
            .iter()
            .filter(|n| Op::from_u8(n.op) == Some(Op::Input))
            .map(|n| (n.a, n.b))
            // The NUL after an argument is not one of its bytes.
            .filter(|(input, offset)| u64::from(*offset) < view.inputs[*input as usize].length)
            .collect();
        let sites: BTreeSet<Option<u32>> = view.branches.iter().map(|b| b.place.site).collect();
        let edges = trace.coverage().iter().take(self.run.map.edges.len());
        view.stats = Stats {
            symbolic_bytes: view.inputs.iter().filter(|i| i.symbolic).map(|i| i.length).sum(),
            symbolic_bytes_used: used.len() as u64,
            branches: view.branches.len() as u64,
            branch_sites: sites.len() as u64,
            switches: view.switches.len() as u64,
            guards: view.guards.len() as u64,
            escapes: view.escapes.iter().map(|e| e.count).sum(),
            concretisations: view.concretisations.iter().map(|c| c.count).sum(),
            nodes: trace.nodes().len().saturating_sub(1) as u64,
            events: trace.events().count() as u64,
            edges_covered: edges.filter(|n| **n != 0).count() as u64,
            edges: self.run.map.edges.len() as u64,
            finished: trace.flag(FLAG_FINISHED),
            cut: trace.is_cut(),
            dropped_events: header.dropped_events.into(),
            inconsistent: header.inconsistent.into(),
            stale: header.stale.into(),
            violations: trace.check_self(&self.run.map.sites).len() as u64,
            seconds: self.run.seconds,
            cpu_seconds: self.run.cpu_seconds,
        };
    }
}

/// Flags and notes in words.
fn notes(trace: &Trace, noted: &BTreeMap<u32, u64>) -> Vec<String> {
    let flags: [(u32, &str); 3] = [
        (FLAG_NODES_FULL, "the trace was cut: no room for more expressions, later values are concrete"),
        (FLAG_EVENTS_FULL, "the trace was cut: no room for more events, later ones are missing"),
        (FLAG_TABLES_FULL, "no room for more tables: later reads through an index are concrete"),
    ];
    let mut notes: Vec<String> =
        flags.iter().filter(|(flag, _)| trace.flag(*flag)).map(|(_, text)| (*text).to_owned()).collect();
    let noted_or = |note, flag| noted.get(&note).copied().unwrap_or(trace.flag(flag) as u64);
    let mut add = |n: u64, text: &str| {
        if n > 0 {
            notes.push(format!("{text} ({})", count(n, "time", "times")));
        }
    };
    add(noted_or(NOTE_THREAD, FLAG_THREADS), "threads were started: what they compute is concrete");
    add(noted_or(NOTE_FORK, FLAG_FORKED), "the program forked: its children are not traced");
    add(noted_or(NOTE_SIGNAL, 0), "a signal handler ran");
    add(noted_or(NOTE_EXEC, 0), "another program was executed: it is not traced");
    add(noted_or(NOTE_INPUT_WRITTEN, 0), "the program wrote to one of its input files");
    notes
}

fn guard_name(guard: u16) -> &'static str {
    match guard {
        GUARD_DIVISOR => "divisor",
        GUARD_SHIFT => "shift",
        GUARD_INDEX => "index",
        GUARD_WIDTH => "width",
        _ => "other",
    }
}

/// Why a value was made concrete, in a few words.
pub fn concrete_name(reason: u16) -> &'static str {
    match reason {
        CONCRETE_STORE_ADDRESS => "address of a store",
        CONCRETE_LOAD_ADDRESS => "address of a load",
        CONCRETE_FLOAT => "floating point",
        CONCRETE_VECTOR => "vector",
        CONCRETE_WIDE => "more than 64 bits",
        CONCRETE_ASM => "inline assembly",
        CONCRETE_ATOMIC => "atomic operation",
        CONCRETE_SIZE => "size of memory",
        CONCRETE_CALL_TARGET => "target of a call",
        CONCRETE_INTRINSIC => "intrinsic",
        CONCRETE_LIBC => "libc",
        CONCRETE_OPAQUE => "function without instrumentation",
        _ => "other",
    }
}

/// The option table as recorded: short options, then one long option a line.
fn options(style: u32, table: &[u8]) -> OptionsView {
    let mut lines = table.split(|b| *b == b'\n');
    let short = lines.next().unwrap_or_default().into();
    let long = lines.filter_map(|line| {
        let mut fields = line.split(|b| *b == b'\t');
        let name = fields.next()?.into();
        let argument = match fields.next()? {
            b"0" => "none",
            b"1" => "required",
            _ => "optional",
        };
        let value = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        Some(LongOption { name, argument, value })
    });
    let style = match style {
        0 => "getopt",
        1 => "getopt_long",
        _ => "getopt_long_only",
    };
    OptionsView { style, short, long: long.collect() }
}
