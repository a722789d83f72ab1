//! Takes invocations in while the suite runs, and says at the end what became of them.
//!
//! In: invocations. Out: kept tests in the output directory, each distinct invocation once, and the [`RecordView`].
//!
//! Always holds: every invocation is counted once: as one of a test, or with the reason why there is none.

use super::cover;
use super::shown;
use super::tree::{Place, PrivateCopy};
use super::try_again::{Tried, TryAgain};
use crate::error::CliError;
use crate::pulse::Pulse;
use crate::record_args::RecordArgs;
use parallax_build::Cache;
use parallax_execute::{Interrupt, Limits, Outcome, Output, Run};
use parallax_record::{
    called, differing, portable, Expected, Extent, Image, Invocation, Portable, Source, Unkept, Variables,
};
use parallax_report::kept::{self, Launch};
use parallax_report::outdir::OutDir;
use parallax_report::record_view::{ProgramView, RecordView, RecordedTest, WithoutTest};
use parallax_report::text::Text;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of a kept test with what the program did in the suite.
const RECORDED: &str = "recorded";
const TESTS: &str = "tests";

/// A distinct invocation.
pub struct Taken {
    pub view: RecordedTest,
    pub program: PathBuf,
    /// A copy of the file that was executed.
    pub image: PathBuf,
    /// Name of its directory.
    pub id: String,
    /// Bytes of its input.
    pub size: usize,
}

pub struct Keeper<'k> {
    args: &'k RecordArgs,
    place: &'k Place,
    /// The environment in which the suite was started.
    own: Variables,
    out: &'k OutDir,
    again: TryAgain,
    /// What the programs name, by the copy.
    images: HashMap<PathBuf, Image>,
    /// By the hash of what it was given and what it did.
    known: HashMap<u64, usize>,
    taken: Vec<Taken>,
    without: BTreeMap<String, WithoutTest>,
    invocations: BTreeMap<PathBuf, u64>,
}

impl<'k> Keeper<'k> {
    pub fn new(
        args: &'k RecordArgs,
        place: &'k Place,
        copy: Option<&PrivateCopy>,
        own: Vec<(OsString, OsString)>,
        out: &'k OutDir,
        interrupt: &Interrupt,
    ) -> Keeper<'k> {
        let limits = Limits {
            time: args.limits.run_time,
            output: args.limits.max_seed_size,
            file_size: args.limits.max_seed_size,
            ..Limits::default()
        };
        let moved = copy.map(|copy| [place.tree.clone(), copy.path.clone()]);
        let again = TryAgain::new(limits, args.limits.unconfined, interrupt, moved);
        let own = own.into_iter().map(|(name, value)| (name.into_vec(), value.into_vec())).collect();
        Keeper {
            args,
            place,
            own,
            out,
            again,
            images: HashMap::new(),
            known: HashMap::new(),
            taken: Vec::new(),
            without: BTreeMap::new(),
            invocations: BTreeMap::new(),
        }
    }

    pub fn take(&mut self, invocation: Invocation) -> Result<(), CliError> {
        *self.invocations.entry(invocation.program.clone()).or_default() += 1;
        let made = match self.portable(&invocation, Unkept::NotNamed, Extent::Words) {
            Ok(made) => made,
            Err(reason) => {
                self.leave_out(&invocation, reason);
                return Ok(());
            }
        };
        let name = called(&invocation.argv0);
        let key = (&invocation.program, &invocation.image, &name, &made.test, &made.expected);
        let hash = BuildHasherDefault::<DefaultHasher>::new().hash_one(key);
        if let Some(at) = self.known.get(&hash) {
            self.taken[*at].view.invocations += 1;
            return Ok(());
        }
        if self.taken.len() as u64 >= self.args.limits.max_tests {
            self.leave_out(&invocation, "there are more distinct invocations than --max-tests".to_owned());
            return Ok(());
        }
        self.known.insert(hash, self.taken.len());
        self.keep(invocation, made, name)
    }

    fn portable(
        &mut self,
        invocation: &Invocation,
        unkept: Unkept,
        extent: Extent,
    ) -> Result<Portable, String> {
        let image = self.images.entry(invocation.image.clone());
        let image = image.or_insert_with(|| Image::new(fs::read(&invocation.image).unwrap_or_default()));
        let env = differing(&invocation.env, &self.own, image, unkept);
        portable(invocation, &self.place.tree, &env, extent).map_err(|reason| reason.to_string())
    }

    fn leave_out(&mut self, invocation: &Invocation, reason: String) {
        let program = shown(&invocation.program, &self.place.tree).display().to_string();
        let without = self.without.entry(reason.clone()).or_insert_with(|| WithoutTest {
            reason,
            invocations: 0,
            program,
            argv: argv(invocation),
        });
        without.invocations += 1;
    }

    /// A new one: tried, and written.
    fn keep(&mut self, invocation: Invocation, made: Portable, name: Vec<u8>) -> Result<(), CliError> {
        let (made, tried) = self.replaying(&invocation, made)?;
        let (run, reason) = match tried {
            Tried::Same(run) => (Some(run), None),
            Tried::Differs(reason, run) => (run, Some(explained(&invocation, &made, reason))),
        };
        let id = format!("{:05}", self.taken.len() + 1);
        let recorded = as_recorded(&made.expected, run.as_ref().filter(|_| reason.is_none()));
        let launch = Launch { argv0: name, homes: Vec::new() };
        self.out.put_test(&id, |directory| -> Result<(), CliError> {
            kept::write(directory, &made.test, &launch)?;
            Ok(kept::write_run(directory, RECORDED, &recorded)?)
        })?;
        let files: usize = made.test.files.iter().map(|(_, bytes)| bytes.len()).sum();
        let view = RecordedTest {
            test: None,
            program: shown(&invocation.program, &self.place.tree).display().to_string(),
            argv: argv(&invocation),
            exit: made.expected.exit,
            signal: made.expected.signal,
            invocations: 1,
            replays: reason.is_none(),
            reason,
        };
        let size = made.test.stdin.len() + files + made.test.argv.iter().map(Vec::len).sum::<usize>();
        let Invocation { program, image, .. } = invocation;
        self.taken.push(Taken { view, program, image, id, size });
        Ok(())
    }

    /// The first way to write the invocation down that does the same again; if there is none, the plainest.
    fn replaying(&mut self, invocation: &Invocation, plain: Portable) -> Result<(Portable, Tried), CliError> {
        let first = self.again.run(invocation, &plain.test, &plain.expected)?;
        if matches!(first, Tried::Same(_)) {
            return Ok((plain, first));
        }
        let mut ways = vec![(Unkept::Nothing, Extent::Words)];
        if plain.names_places {
            ways.extend([(Unkept::NotNamed, Extent::Everything), (Unkept::Nothing, Extent::Everything)]);
        }
        for (unkept, extent) in ways {
            let Ok(other) = self.portable(invocation, unkept, extent) else { continue };
            if other.test == plain.test {
                continue;
            }
            let tried = self.again.run(invocation, &other.test, &other.expected)?;
            if matches!(tried, Tried::Same(_)) {
                return Ok((other, tried));
            }
        }
        Ok((plain, first))
    }

    /// Fills in what became of the invocations.
    pub fn finish(mut self, view: &mut RecordView, cache: &Cache, pulse: &Pulse) -> Result<(), CliError> {
        let by_coverage = cover::cover(self.args, self.place, self.out, &self.taken, cache, pulse)?;
        view.warnings.extend(by_coverage.warnings);
        let several = self.invocations.len() > 1;
        let names = directories(self.invocations.keys());
        for (at, taken) in self.taken.iter_mut().enumerate() {
            let directory = self.out.test(&taken.id);
            if by_coverage.redundant.contains(&at) {
                fs::remove_dir_all(&directory).map_err(CliError::Write)?;
                continue;
            }
            let place = match names.get(&taken.program).filter(|_| several) {
                Some(name) => self.out.path().join(TESTS).join(name).join(&taken.id),
                None => directory.clone(),
            };
            if several {
                // It has a parent: it was joined together above.
                fs::create_dir_all(place.parent().unwrap_or(&place)).map_err(CliError::Write)?;
                fs::rename(&directory, &place).map_err(CliError::Write)?;
            }
            taken.view.test = Some(place.display().to_string());
        }
        for (program, invocations) in &self.invocations {
            let own: Vec<_> = self.taken.iter().filter(|taken| taken.program == *program).collect();
            let tests = self.out.path().join(TESTS);
            view.programs.push(ProgramView {
                program: shown(program, &self.place.tree).display().to_string(),
                invocations: *invocations,
                distinct: own.len() as u64,
                kept: own.iter().filter(|taken| taken.view.test.is_some()).count() as u64,
                deduplicated_by: if by_coverage.programs.contains(program) { "coverage" } else { "content" },
                directory: match names.get(program).filter(|_| several) {
                    Some(name) => tests.join(name).display().to_string(),
                    None => tests.display().to_string(),
                },
            });
        }
        self.count(view);
        Ok(())
    }

    fn count(self, view: &mut RecordView) {
        view.tests = self.taken.into_iter().map(|taken| taken.view).collect();
        view.without_test = self.without.into_values().collect();
        view.invocations = self.invocations.values().sum();
        view.distinct = view.tests.len() as u64;
        view.kept = view.tests.iter().filter(|test| test.test.is_some()).count() as u64;
        view.replayed = view.tests.iter().filter(|test| test.replays).map(|test| test.invocations).sum();
        let tried: u64 = view.tests.iter().map(|test| test.invocations).sum();
        view.replayed_percent = if tried == 0 { 0.0 } else { view.replayed as f64 * 100.0 / tried as f64 };
    }
}

fn argv(invocation: &Invocation) -> Vec<Text> {
    invocation.argv.iter().map(|word| word.as_slice().into()).collect()
}

/// What may be the cause goes with what was seen.
fn explained(invocation: &Invocation, made: &Portable, reason: String) -> String {
    let met = made.special.first().map(|path| format!("{} was no regular file", path.display()));
    let pipe = (invocation.stdin.source == Source::Pipe).then(|| "standard input was a pipe".to_owned());
    match met.or(pipe) {
        Some(hint) => format!("{reason} ({hint})"),
        None => reason,
    }
}

/// What the program did in the suite; the files that it made are those of the run that did the same.
fn as_recorded(expected: &Expected, same: Option<&Run>) -> Run {
    // What went to `/dev/null` nobody has seen: then it is what the run printed that did the same in all else.
    let output = |bytes: &Option<Vec<u8>>, again: Option<&Output>| match (bytes, again) {
        (None, Some(again)) => again.clone(),
        (bytes, _) => Output { bytes: bytes.clone().unwrap_or_default(), truncated: false },
    };
    Run {
        outcome: match (expected.exit, expected.signal) {
            (Some(status), _) => Outcome::Exited(status),
            (None, signal) => Outcome::Signaled(signal.unwrap_or_default()),
        },
        stdout: output(&expected.stdout, same.map(|run| &run.stdout)),
        stderr: output(&expected.stderr, same.map(|run| &run.stderr)),
        files: same.map(|run| run.files.clone()).unwrap_or_default(),
        files_truncated: same.is_none(),
        wall: Duration::ZERO,
        cpu: Duration::ZERO,
    }
}

/// A directory for the tests of each program: its name, with a number if that is taken.
fn directories<'p>(programs: impl Iterator<Item = &'p PathBuf>) -> BTreeMap<PathBuf, PathBuf> {
    let mut names: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for program in programs {
        let name = Path::new(program.file_name().unwrap_or(program.as_os_str()));
        let mut place = name.to_owned();
        let mut number = 2;
        while names.values().any(|taken| *taken == place) {
            place = PathBuf::from(format!("{}-{number}", name.display()));
            number += 1;
        }
        names.insert(program.clone(), place);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_the_same_name_get_directories_of_their_own() {
        let programs = ["/t/a/p", "/t/b/p", "/t/q"].map(PathBuf::from);
        let names = directories(programs.iter());
        let names: Vec<_> = programs.iter().map(|p| names[p].display().to_string()).collect();
        assert_eq!(names, ["p", "p-2", "q"]);
    }
}
