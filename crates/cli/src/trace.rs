//! `parallax trace`: one run, shown.
//!
//! In: a resolved job. Out: the text, JSON document or SMT-LIB script to print.

use crate::args::{Format, ModeArg};
use crate::dependence;
use crate::engine::{self, Recorded};
use crate::error::CliError;
use crate::resolve::TraceJob;
use parallax_report::{human, json, smtlib, view, HumanLimits};
use parallax_trace::formula::FormulaLimits;
use parallax_trace::Trace;

pub fn trace(job: &TraceJob) -> Result<String, CliError> {
    if job.mode == ModeArg::Dependence {
        return dependence::summary(job);
    }
    let recorded = engine::record(job)?;
    let arena = recorded.executor.arena();
    let trace = Trace::decode(arena.bytes(), &recorded.inputs)?;
    match job.format {
        Format::Smtlib => Ok(smtlib(&trace, &recorded.map)),
        Format::Human => {
            let limits = HumanLimits { events: job.show, ..HumanLimits::default() };
            Ok(human(&view(&described(&recorded, &trace)), &limits))
        }
        Format::Json => Ok(json(&view(&described(&recorded, &trace)))?),
    }
}

fn described<'r>(recorded: &'r Recorded, trace: &'r Trace<'r>) -> parallax_report::Run<'r> {
    let run = &recorded.run;
    let (exit, signal, limit) = parallax_report::kept::ending(&run.outcome);
    parallax_report::Run {
        program: recorded.name.as_bytes(),
        exit,
        signal,
        limit,
        stdout: &run.stdout.bytes,
        stderr: &run.stderr.bytes,
        seconds: run.wall.as_secs_f64(),
        cpu_seconds: run.cpu.as_secs_f64(),
        trace,
        map: &recorded.map,
        formulas: FormulaLimits::default(),
    }
}
