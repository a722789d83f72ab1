//! Both versions run and followed on one test case.
//!
//! In: builds in the dependence mode with all values ([`builds`]), what changed, test cases. Out: [`Followed`] runs.
//!
//! The versions run at the same time and are matched while they run, so that no more than a window of each run is held. Always holds: at the moment that
//! is given, following is over, whatever the programs do.

use crate::changed::Changed;
use crate::error::CliError;
use crate::native;
use crate::natives::Setting;
use crate::versions;
use parallax_build::{Cache, Version};
use parallax_execute::{ArenaSizes, Executor, Kind, Limits, Options, Symbolic, TestCase};
use parallax_follow::{follow, item, Cursor, Followed, Item, Limits as Most, Pairing};
use parallax_instrument::{instrument, Instrumented, Mode, Watch};
use parallax_model::Program;
use parallax_trace::dependence::{Chunk, Decoder, DependenceMap};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::time::{Duration, Instant};

/// Events that are handed over at once, and how many such batches may wait.
const BATCH: usize = 1 << 12;
const WAITING: usize = 8;
/// Room for events of a run that are not yet taken.
const ROOM: u64 = 16 << 20;

/// Both versions with everything recorded that is needed to follow them.
pub fn builds(built: &[Version; 2], changed: &Changed, cache: &Cache) -> Result<[Instrumented; 2], CliError> {
    let programs = [&changed.old.program, &changed.new.program];
    let [old, new] = versions::in_parallel(|i| one(&built[i], programs[i], cache));
    Ok([old?, new?])
}

fn one(version: &Version, program: &Program, cache: &Cache) -> Result<Instrumented, CliError> {
    // Values are recorded of functions with a watched instruction: here, of all.
    let watch: Watch =
        program.defined_functions().map(|f| (program.func(f).name.clone(), u32::MAX)).collect();
    Ok(instrument(&parallax_instrument::Options {
        bitcode: version.bitcode.clone(),
        link_arguments: version.link.arguments(),
        cxx: version.link.cxx,
        mode: Mode::Dependence,
        watch,
        cache: cache.root().to_path_buf(),
    })?)
}

/// Runs and follows.
pub struct Follower {
    executors: [Executor; 2],
    maps: [DependenceMap; 2],
    limits: Limits,
    most: Most,
}

impl Follower {
    pub fn new(
        builds: &[Instrumented; 2],
        built: &[Version; 2],
        setting: &Setting,
        limits: Limits,
        most: Most,
    ) -> Result<Follower, CliError> {
        let executor = |i: usize| {
            let homes = vec![native::instrumented(&builds[i].program, &built[i], &setting.homes)];
            let arena = ArenaSizes { events: ROOM, nodes: 1, tables: 1 << 16, ..ArenaSizes::default() };
            let symbolic = Symbolic { arguments: false, stdin: false, files: false, env: false };
            let options = Options { arena: Some(arena), homes, symbolic, ..setting.options() };
            Executor::new(&builds[i].program, Kind::Instrumented, options)
        };
        let maps = [0, 1].map(|i| builds[i].map.dependence.clone().unwrap_or_default());
        Ok(Follower { executors: [executor(0)?, executor(1)?], maps, limits, most })
    }

    /// One test case, until it is over or time is up.
    pub fn follow(
        &mut self,
        pairing: &Pairing,
        test: &TestCase,
        until: Instant,
    ) -> Result<Followed, CliError> {
        let left = until.saturating_duration_since(Instant::now());
        let limits = Limits { time: left.min(self.limits.time.saturating_mul(8)), ..self.limits };
        let ((to_old, old), (to_new, new)) = (sync_channel(WAITING), sync_channel(WAITING));
        let [old_executor, new_executor] = &mut self.executors;
        let maps = &self.maps;
        let most = self.most;
        std::thread::scope(|scope| {
            let old_run = scope.spawn(|| run(old_executor, &maps[0], test, &limits, to_old));
            let new_run = scope.spawn(|| run(new_executor, &maps[1], test, &limits, to_new));
            let cursors = [old, new].map(|from: Receiver<Vec<Item>>| Cursor::new(move || from.recv().ok()));
            // The receivers go with the cursors, and the runs have nobody left to tell.
            let followed = follow(pairing, cursors, most, &|| Instant::now() >= until);
            for run in [old_run, new_run] {
                match run.join() {
                    Ok(result) => result?,
                    // The panic's own message has been printed.
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(followed)
        })
    }
}

/// Runs one version and hands its events over, for as long as somebody wants them.
fn run(
    executor: &mut Executor,
    map: &DependenceMap,
    test: &TestCase,
    limits: &Limits,
    to: SyncSender<Vec<Item>>,
) -> Result<(), CliError> {
    let mut decoder = Decoder::new(map);
    let mut batch = Vec::with_capacity(BATCH);
    let (mut wanted, mut broken) = (true, None);
    let mut sink = |chunk: &Chunk| {
        if !wanted || broken.is_some() {
            return;
        }
        let decoded = decoder.decode(chunk, |at, event| {
            batch.push(item(at, event));
            if batch.len() == BATCH {
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                wanted &= to.send(full).is_ok();
            }
        });
        broken = decoded.err();
    };
    executor.run_streamed(test, limits, &mut sink)?;
    // Nobody may want the rest.
    let _ = to.send(batch);
    broken.map_or(Ok(()), |error| Err(error.into()))
}

/// How long following may take: a part of the time of the search, so that both together keep to `--time`.
pub fn share(wanted: Duration, time: Duration) -> Duration {
    /// The part is one in so many.
    const PART: u32 = 10;
    wanted.min(time / PART)
}
