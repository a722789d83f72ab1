//! Versions that behave by chance: judged millions of times, never different; and differences beside chance, always found.

use fastrand::Rng;
use parallax_execute::{Content, FileChange, Outcome, Output, Run, TestCase};
use parallax_oracle::*;
use std::convert::Infallible;
use std::time::Duration;

fn text(bytes: &str) -> Output {
    Output { bytes: bytes.into(), truncated: false }
}

fn run(outcome: Outcome, stdout: &str) -> Run {
    Run {
        outcome,
        stdout: text(stdout),
        stderr: Output::default(),
        files: vec![],
        files_truncated: false,
        wall: Duration::from_millis(1),
        cpu: Duration::ZERO,
    }
}

fn printed(stdout: &str) -> Run {
    run(Outcome::Exited(0), stdout)
}

/// Versions as functions of chance and of the room that a run has.
struct Chance<O, N> {
    versions: (O, N),
    random: Rng,
    runs: u32,
}

impl<O: Fn(&mut Rng, Room) -> Run, N: Fn(&mut Rng, Room) -> Run> Runner for Chance<O, N> {
    type Error = Infallible;

    fn run(&mut self, which: Which, test: &TestCase) -> Result<Run, Infallible> {
        self.again(which, test, Trial { round: 0, room: Room::Usual })
    }

    fn again(&mut self, which: Which, _: &TestCase, trial: Trial) -> Result<Run, Infallible> {
        self.runs += 1;
        Ok(match which {
            Which::Old => (self.versions.0)(&mut self.random, trial.room),
            Which::New => (self.versions.1)(&mut self.random, trial.room),
        })
    }
}

fn judged(
    seed: u64,
    old: impl Fn(&mut Rng, Room) -> Run,
    new: impl Fn(&mut Rng, Room) -> Run,
) -> (Judgement, u32) {
    let mut runner = Chance { versions: (old, new), random: Rng::with_seed(seed), runs: 0 };
    let test = TestCase { stdin: seed.to_le_bytes().to_vec(), ..TestCase::default() };
    let Ok(judgement) = judge(&mut runner, &Rules::default(), &test, &|_| false);
    (judgement, runner.runs)
}

/// How often two versions that do the same by chance are taken for different on so many inputs, and with how many runs.
fn taken_for_different(inputs: u64, version: impl Fn(&mut Rng, Room) -> Run + Copy) -> (u64, u64) {
    let (mut wrong, mut runs) = (0, 0);
    for seed in 0..inputs {
        let (judgement, took) = judged(seed, version, version);
        wrong += u64::from(matches!(judgement, Judgement::Different(_)));
        runs += u64::from(took);
    }
    (wrong, runs)
}

/// Two outcomes, the first with this probability.
fn coin(p: f64, heads: Run, tails: Run) -> impl Fn(&mut Rng, Room) -> Run {
    move |random, _| if random.f64() < p { heads.clone() } else { tails.clone() }
}

#[test]
fn a_coin_in_the_exit_status_is_no_difference_whatever_its_weight() {
    for p in [0.5, 0.4, 0.25, 0.1, 0.02, 0.001] {
        let toss = coin(p, run(Outcome::Exited(1), ""), printed(""));
        let (wrong, runs) = taken_for_different(30_000, &toss);
        assert_eq!(wrong, 0, "weight {p}");
        // Chance shows soon: what it costs is a few runs.
        assert!(runs < 30_000 * 8, "weight {p}: {runs} runs");
    }
}

#[test]
fn a_coin_in_a_crash_a_file_or_the_output_is_no_difference() {
    let written = |content: &str| {
        let content = Content::File(text(content));
        Run { files: vec![FileChange::Created { path: "f".into(), mode: 0o644, content }], ..printed("") }
    };
    let tosses = [
        (run(Outcome::Signaled(6), "x"), printed("x")),
        (written("a"), printed("")),
        (written("heads\n"), written("tails\n")),
        (printed("a line\nheads\n"), printed("a line\ntails\n")),
        (printed("one\n"), printed("one\ntwo\n")),
        (printed("a\nb\n"), printed("b\na\n")),
        (run(Outcome::TimedOut, ""), printed("")),
        (run(Outcome::TooMuchMemory, ""), run(Outcome::Exited(1), "")),
    ];
    for (heads, tails) in tosses {
        let toss = coin(0.5, heads.clone(), tails);
        assert_eq!(taken_for_different(8_000, &toss).0, 0, "{heads:?}");
    }
}

#[test]
fn several_coins_dice_and_words_in_one_output_are_no_difference() {
    let colours = ["red", "dark blue", "green", "3.5", "-7", ""];
    let version = |random: &mut Rng, _: Room| {
        let colour = colours[random.usize(..colours.len())];
        let (coin, die, address) = (random.bool(), random.u8(1..=6), random.u64(..));
        printed(&format!("coin {coin}\ndie {die}\nat {address:#x}\n{colour}\nend\n"))
    };
    assert_eq!(taken_for_different(8_000, version).0, 0);
}

#[test]
fn a_stable_difference_beside_chance_is_always_found() {
    let version = |sum: u32| {
        move |random: &mut Rng, _: Room| {
            printed(&format!("run {}\nsum {sum}\nat {:p}\n", random.u16(..), random))
        }
    };
    for seed in 0..200 {
        let (judgement, runs) = judged(seed, version(5), version(6));
        let Judgement::Different(case) = judgement else { panic!("{judgement:?}") };
        assert_eq!(case.aspects, [Aspect::Stdout].into());
        assert_eq!(runs, 2 + 2 * CONFIRMATIONS);
    }
}

#[test]
fn a_version_that_became_random_is_different_from_one_that_is_not() {
    let garbage = |random: &mut Rng, _: Room| printed(&format!("x = {}\n", random.i32(..)));
    let stable = |_: &mut Rng, _: Room| printed("x = 5\n");
    for seed in 0..200 {
        for (judgement, _) in [judged(seed, stable, garbage), judged(seed, garbage, stable)] {
            let Judgement::Different(case) = judgement else { panic!("{judgement:?}") };
            // It would be invisible if it were looked past.
            assert!(case.unstable.is_empty(), "{:?}", case.unstable);
        }
    }
}

#[test]
fn a_crash_that_comes_sometimes_is_told_from_none_only_if_the_other_never_does_the_same() {
    let sometimes = coin(0.5, run(Outcome::Signaled(11), ""), printed(""));
    let never = |_: &mut Rng, _: Room| printed("");
    let found = (0..500).filter(|seed| matches!(judged(*seed, never, &sometimes).0, Judgement::Different(_)));
    assert_eq!(found.count(), 0);
}

/// A version that needs so many milliseconds, with a limit of a second that ample room makes four.
fn needs(millis: u64) -> impl Fn(&mut Rng, Room) -> Run {
    move |random, room| {
        let limit = match room {
            Room::Usual => 1000,
            Room::Ample => 4000,
            Room::Short(time) => time.as_millis() as u64,
        };
        let took = millis + random.u64(..=millis / 20);
        let outcome = if took < limit { Outcome::Exited(0) } else { Outcome::TimedOut };
        Run { wall: Duration::from_millis(took.min(limit)), ..run(outcome, "done\n") }
    }
}

#[test]
fn a_version_near_its_time_limit_does_not_hang() {
    for millis in [900, 955, 975, 1000, 1500, 3000] {
        assert!((0..200)
            .all(|seed| !matches!(judged(seed, needs(millis), needs(millis)).0, Judgement::Different(_))));
        assert!((0..200)
            .all(|seed| !matches!(judged(seed, needs(700), needs(millis)).0, Judgement::Different(_))));
    }
}

#[test]
fn a_version_that_hangs_does() {
    let (judgement, runs) = judged(1, needs(1), needs(1_000_000));
    let Judgement::Different(case) = judgement else { panic!("{judgement:?}") };
    assert_eq!(case.kind(), Aspect::Timeout);
    assert!(runs < 2 + 2 * CONFIRMATIONS, "{runs} runs of a program that is slow");
}

#[test]
fn output_that_depends_on_the_time_or_on_the_number_of_the_run_is_no_difference() {
    // What a clock shows, and the parity of a process number, under runs one after the other.
    for period in [1, 2, 3, 4, 7, 30, 1000] {
        let clock = std::cell::Cell::new(0u32);
        let version = |random: &mut Rng, _: Room| {
            // Most often a run takes one tick.
            clock.set(clock.get() + 1 + u32::from(random.u8(..8) == 0));
            printed(&format!("{}\n", clock.get() / period % 2))
        };
        assert_eq!(taken_for_different(3_000, version).0, 0, "period {period}");
    }
}
