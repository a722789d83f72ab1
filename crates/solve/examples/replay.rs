//! Replays a directory of recorded queries with each solver alone and with the standard stack, and prints what
//! each solved and how long it took: `replay DIRECTORY [LIMIT_MS [SOLVER…]]`, where the
//! solvers are those of the table below.
//!
//! Answers that contradict one another are printed and make the exit status 1.

use parallax_solve::layers::{BitBlast, Split, Z3};
use parallax_solve::smtlib_reader::read;
use parallax_solve::*;
use std::path::Path;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// How one solver did on all queries.
#[derive(Default)]
struct Results {
    sat: usize,
    unsat: usize,
    unknown: usize,
    times: Vec<Duration>,
}

impl Results {
    fn add(&mut self, answer: &Answer, time: Duration) {
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat(_) => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
        self.times.push(time);
    }

    fn print(&mut self, name: &str) {
        self.times.sort_unstable();
        let at = |part: f64| {
            let index = ((self.times.len() as f64 - 1.0) * part).round().max(0.0) as usize;
            self.times.get(index).copied().unwrap_or_default()
        };
        let total: Duration = self.times.iter().sum();
        println!(
            "{name:<24} solved {:>6} (sat {:>6}, unsat {:>6}, unknown {:>4})  median {:>10.3?}  99% {:>10.3?}  total {:>9.3?}",
            self.sat + self.unsat, self.sat, self.unsat, self.unknown, at(0.5), at(0.99), total
        );
    }
}

/// The solvers that are compared.
fn solvers() -> Vec<(&'static str, Stack)> {
    let settings = Settings::default();
    let blaster = |share| Box::new(BitBlast::new(settings.gates, share, 0)) as Box<dyn Layer>;
    let z3 = |share| Box::new(Z3::new(share)) as Box<dyn Layer>;
    vec![
        ("Z3", Stack::new(vec![Box::new(Split), z3(1.0)])),
        ("bit-blaster", Stack::new(vec![Box::new(Split), blaster(1.0)])),
        ("Z3, then bit-blaster", Stack::new(vec![Box::new(Split), z3(0.5), blaster(1.0)])),
        ("bit-blaster, then Z3", Stack::new(vec![Box::new(Split), blaster(0.5), z3(1.0)])),
        ("standard stack", standard_stack(&settings)),
    ]
}

type Compared = (&'static str, Stack, Results);

/// Asks every solver; says if no two answers contradict one another.
fn replay(path: &Path, pool: &mut Pool, solvers: &mut [Compared], limit: &Limit) -> Result<bool, Failure> {
    let recorded = read(pool, &std::fs::read_to_string(path)?)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let seed = |var: Var| recorded.seed.get(&var).copied();
    let query = Query::new(pool, &recorded.constraints, &seed);
    let mut verdicts = Vec::new();
    for (name, solver, results) in solvers {
        let start = Instant::now();
        let answer = solver.check(&query, limit);
        results.add(&answer, start.elapsed());
        if !matches!(answer, Answer::Unknown(_)) {
            verdicts.push((*name, matches!(answer, Answer::Sat(_))));
        }
    }
    let agree = verdicts.windows(2).all(|pair| pair[0].1 == pair[1].1);
    if !agree {
        println!("{}: is it satisfiable? {verdicts:?}", path.display());
    }
    Ok(agree)
}

fn print_layers(stack: &Stack) {
    for (name, s) in stack.statistics() {
        println!(
            "{name:<14} queries {:>7}  sat {:>7}  unsat {:>6}  unknown {:>4}  passed on {:>7}  {:>9.3?}",
            s.queries, s.sat, s.unsat, s.unknown, s.passed, s.time
        );
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let directory = arguments.get(1).ok_or("usage: replay DIRECTORY [LIMIT_MS [SOLVER…]]")?;
    let millis = arguments.get(2).map_or(Ok(2000), |text| text.parse())?;
    let limit = Limit { time: Duration::from_millis(millis), ..Limit::default() };
    let entries = std::fs::read_dir(directory)?;
    let mut files: Vec<_> = entries.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|e| e == "smt2"));
    files.sort();
    let chosen = arguments.get(3..).unwrap_or_default();
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|c| c == name);
    let solvers = solvers().into_iter().filter(|(name, _)| wanted(name));
    let mut solvers: Vec<Compared> = solvers.map(|(name, s)| (name, s, Results::default())).collect();
    // One pool for all, as in a search; the layers that remember then have something to remember.
    let mut pool = Pool::new();
    let mut contradictions = 0;
    for path in &files {
        contradictions += usize::from(!replay(path, &mut pool, &mut solvers, &limit)?);
    }
    println!("{} queries, limit {millis} ms", files.len());
    for (name, solver, results) in &mut solvers {
        results.print(name);
        if solver.wrong_models() > 0 {
            println!("{name}: {} wrong models", solver.wrong_models());
        }
    }
    if let Some((name, stack, _)) = solvers.last() {
        println!("\nlayers of {name}:");
        print_layers(stack);
    }
    if contradictions > 0 {
        return Err(format!("{contradictions} queries with contradicting answers").into());
    }
    Ok(())
}
