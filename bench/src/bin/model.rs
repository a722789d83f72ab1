//! The program model: how much time it takes, of the processor and by the clock, and how much memory, from cleaned-up bitcode to distances.
//!
//! In: programs built with `parallax-cc`, or files of whole-program bitcode. Out: a table. Each program is measured in a process of its own, so that the
//! peak of memory is its own. Nothing is left for later: points-to, call graph, mod/ref, reaching definitions of every place that is read and the dependence
//! graph are computed for the whole program. A second look reads the program, points-to, mod/ref and the dependence graph from bytes.
//!
//! `cargo run --release -p parallax-bench --bin model -- PROGRAM...`

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeVal;
use parallax_bench::{machine, median, table, Result};
use parallax_change::{Csg, Target, World};
use parallax_model::calls::{CallGraph, Returns};
use parallax_model::cfg::Flow;
use parallax_model::distance::{control_distances, Distances, Hopeless};
use parallax_model::icfg::Icfg;
use parallax_model::memory::Memory;
use parallax_model::mod_ref::{Edges, ModRef};
use parallax_model::pdg::Pdg;
use parallax_model::points_to::{accessed, PointsTo};
use parallax_model::reaching::{self, Reaching};
use parallax_model::wp::{Context, PlainMemory, Preconditions};
use parallax_model::{load, BlockId, Program};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const ONE: &str = "--one";
const HEAD: [&str; 23] = [
    "program",
    "functions",
    "blocks",
    "instructions",
    "clean-up, s",
    "load, s",
    "calls and flow, s",
    "points-to, s",
    "accesses and mod/ref, s",
    "dependence graph, s",
    "its edges",
    "places of a load or store, mean",
    "median",
    "distances to one target, ms",
    "control distances, ms",
    "complexity of 20 changed blocks, ms",
    "preconditions of one target, ms: median",
    "worst",
    "whole, s",
    "by the clock, s",
    "peak, MiB",
    "stored, MiB",
    "second look, s",
];
/// Targets whose distances are measured, spread over the program.
const TARGETS: usize = 20;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [one, file] = &arguments[..] {
        if one == ONE {
            println!("{}", measure(Path::new(file))?.join("\t"));
            return Ok(());
        }
    }
    println!("{}\n", machine());
    let mut rows = Vec::new();
    for program in &arguments {
        let output = std::process::Command::new(std::env::current_exe()?).args([ONE, program]).output()?;
        if !output.status.success() {
            return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        rows.push(String::from_utf8(output.stdout)?.trim().split('\t').map(str::to_owned).collect());
    }
    table::print(&HEAD, &rows);
    Ok(())
}

/// Bitcode as it is, or of a program.
fn bitcode(path: &Path) -> Result<PathBuf> {
    if path.extension().is_some_and(|e| e == "bc") {
        return Ok(path.into());
    }
    Ok(parallax_build::collect(path, &parallax_build::Cache::from_environment())?.bitcode)
}

fn measure(path: &Path) -> Result<Vec<String>> {
    let cache = std::env::temp_dir().join("parallax-bench");
    let bitcode = bitcode(path)?;
    let start = Instant::now();
    let (cleaned, clean_up) = timed(|| parallax_instrument::clean_up(&bitcode, &cache));
    let bytes = std::fs::read(cleaned?)?;
    let (program, loading) = timed(|| load(&bytes));
    let program = program?;
    let ((calls, returns, icfg, flows), flow_time) = timed(|| flow(&program));
    let (points_to, pointing) = timed(|| PointsTo::new(&program));
    let ((accesses, edges, mod_ref), mod_ref_time) = timed(|| {
        let accesses = Memory::new(&program, &points_to);
        let edges = Edges::new(&program, &points_to);
        let mod_ref = ModRef::new(&accesses, &edges);
        (accesses, edges, mod_ref)
    });
    let (pdg, dependence) = timed(|| {
        Pdg::new(&accesses, &edges, &mut Reaching::new(&accesses, &edges, reaching::Limits::default()))
    });
    let by_the_clock = start.elapsed();
    let peak = getrusage(UsageWho::RUSAGE_SELF)?.max_rss() >> 10;
    let targets: Vec<BlockId> =
        program.block_ids().step_by(program.blocks.len().div_ceil(TARGETS).max(1)).collect();
    let (_, distances) = timed(|| {
        for target in &targets {
            Distances::new(&icfg, &program, &[*target], &Hopeless::default());
        }
    });
    let (_, control) = timed(|| {
        for target in &targets {
            control_distances(&program, &flows, &calls, &[*target]);
        }
    });
    let (_, complexity) = timed(|| {
        let calls = CallGraph::new(&program, |site| points_to.targets(site).collect());
        let returns = Returns::new(&program, &calls);
        let changed: Vec<Target> = targets.iter().map(|block| changed(&program, *block)).collect();
        Csg::of_changes(&World { program: &program, calls: &calls, returns: &returns }, &changed).cyclomatic()
    });
    let memory = PlainMemory::new(&program, &calls);
    let context = Context::new(&program, &calls, &returns, &memory);
    let backwards = |t: &BlockId| timed(|| Preconditions::new(&context, &[*t]).hopeless(&context)).1;
    let preconditions: Vec<Duration> = targets.iter().map(backwards).collect();
    let (stored, second_look) = look_again(&program, &points_to, &mod_ref, &pdg)?;
    let touched = places(&program, &points_to);
    let each = |total: Duration| format!("{:.1}", total.as_secs_f64() * 1e3 / targets.len() as f64);
    let seconds = |time: Duration| format!("{:.2}", time.as_secs_f64());
    Ok(vec![
        path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        program.defined.to_string(),
        program.blocks.len().to_string(),
        program.insts.len().to_string(),
        seconds(clean_up),
        seconds(loading),
        seconds(flow_time),
        seconds(pointing),
        seconds(mod_ref_time),
        seconds(dependence),
        pdg.edge_count().to_string(),
        format!("{:.1}", touched.iter().sum::<usize>() as f64 / touched.len().max(1) as f64),
        touched.get(touched.len() / 2).unwrap_or(&0).to_string(),
        each(distances),
        each(control),
        format!("{:.1}", complexity.as_secs_f64() * 1e3),
        format!("{:.1}", median(preconditions.clone()).as_secs_f64() * 1e3),
        format!("{:.1}", preconditions.iter().max().map_or(0.0, Duration::as_secs_f64) * 1e3),
        seconds(clean_up + loading + flow_time + pointing + mod_ref_time + dependence),
        seconds(by_the_clock),
        peak.to_string(),
        format!("{:.1}", stored as f64 / f64::from(1 << 20)),
        seconds(second_look),
    ])
}

/// A block as if all of it were changed.
fn changed(program: &Program, block: BlockId) -> Target {
    Target {
        block,
        func: program.block(block).func,
        file: None,
        line: program.block(block).line,
        insts: program.block(block).insts.iter().collect(),
        changes: Vec::new(),
        edges: Vec::new(),
        layout_only: false,
    }
}

/// How many bytes everything takes when it is stored, and how long it takes to read it back.
fn look_again(
    program: &Program,
    points_to: &PointsTo,
    mod_ref: &ModRef,
    pdg: &Pdg,
) -> Result<(usize, Duration)> {
    let stored = [program.to_bytes(), points_to.to_bytes(), mod_ref.to_bytes(), pdg.to_bytes()];
    let (again, time) = timed(|| -> Result<_> {
        let program = (Program::from_bytes(&stored[0])?, PointsTo::from_bytes(&stored[1])?);
        Ok((program, ModRef::from_bytes(&stored[2])?, Pdg::from_bytes(&stored[3])?))
    });
    let ((program_again, points_to_again), mod_ref_again, pdg_again) = again?;
    let same = program_again == *program && points_to_again == *points_to;
    assert!(
        same && mod_ref_again == *mod_ref && pdg_again == *pdg,
        "a stored model differs from what was stored"
    );
    Ok((stored.iter().map(Vec::len).sum(), time))
}

/// How many places each load and store can touch, the fewest first.
fn places(program: &Program, points_to: &PointsTo) -> Vec<usize> {
    let addresses = program.inst_ids().filter_map(|id| accessed(program, id));
    let mut sizes: Vec<usize> = addresses.map(|(address, _)| points_to.points_to(address).len()).collect();
    sizes.sort_unstable();
    sizes
}

fn flow(program: &Program) -> (CallGraph, Returns, Icfg, Vec<Flow>) {
    let calls = CallGraph::coarse(program);
    let returns = Returns::new(program, &calls);
    let icfg = Icfg::new(program, &calls, &returns);
    let flows = program.defined_functions().map(|f| Flow::new(program, &calls, &returns, f)).collect();
    (calls, returns, icfg, flows)
}

/// Time that this process has computed for: it has one thread, and the machine may be busy with other things.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let computed = || {
        let usage = getrusage(UsageWho::RUSAGE_SELF).map(|u| [u.user_time(), u.system_time()]);
        let micros = |t: TimeVal| (t.tv_sec() * 1_000_000 + t.tv_usec()) as u64;
        usage.map_or(Duration::ZERO, |times| Duration::from_micros(times.map(micros).iter().sum()))
    };
    let start = computed();
    let result = work();
    (result, computed() - start)
}
