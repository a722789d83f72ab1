//! The same command proposes the same test cases in the same order, however busy the machine is and however long runs take.

use super::*;
use crate::{search, Memory};
use parallax_trace::format::Op;
use parallax_trace::request::{Input, Source};
use parallax_trace::synth::Synth;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Test cases of a search.
const RUNS: u64 = 400;
const WORD: &[u8] = b"parallax";

/// A program that compares its standard input with a word, and then wants its first four bytes to be the factors of a number.
struct Toy {
    log: Arc<Mutex<Vec<TestCase>>>,
    /// Runs take this long, now and then.
    delay: Duration,
}

fn trace_of(test: &TestCase, side: Side) -> Traced {
    let input = Input { source: Source::Stdin, bytes: test.stdin.clone(), symbolic: true };
    let mut run = Synth::new(vec![input.clone()]);
    let bytes: Vec<u32> = (0..test.stdin.len() as u32).map(|at| run.input(0, at)).collect();
    let mut holds = true;
    for (site, (byte, wanted)) in bytes.iter().zip(WORD).enumerate() {
        let wanted = run.constant(8, u64::from(*wanted));
        let is = run.node(Op::Eq, 1, *byte, wanted, 0);
        run.branch(site as u32, is);
        holds &= run.nodes()[is as usize].value == 1;
        if !holds {
            break;
        }
    }
    if let [a, b, c, d, ..] = bytes[..] {
        let wide = |run: &mut Synth, high, low| {
            let both = run.node(Op::Concat, 16, high, low, 0);
            run.node(Op::ZExt, 32, both, 0, 0)
        };
        let (x, y) = (wide(&mut run, a, b), wide(&mut run, c, d));
        let product = run.node(Op::Mul, 32, x, y, 0);
        let wanted = run.constant(32, if side == Side::Old { 65_521 * 65_519 } else { 65_521 * 65_497 });
        let is = run.node(Op::Eq, 1, product, wanted, 0);
        run.branch(100, is);
    }
    Traced { trace: run.trace(), inputs: vec![input], digest: 0, cost: Cost::default() }
}

impl Harness for Toy {
    fn trace(&mut self, side: Side, test: &TestCase, _: u64) -> Result<Traced, HarnessError> {
        let mut log = self.log.lock().unwrap();
        if side == Side::Old {
            log.push(test.clone());
        }
        let pause = if log.len() % 7 == 0 { self.delay } else { Duration::ZERO };
        drop(log);
        std::thread::sleep(pause);
        Ok(trace_of(test, side))
    }

    fn glimpse(&mut self, side: Side, test: &TestCase, work: u64) -> Result<Glimpse, HarnessError> {
        self.trace(side, test, work).map(|_| Glimpse { taken: vec![], digest: 0, cost: Cost::default() })
    }

    fn judge(&mut self, _: &TestCase) -> Result<Verdict, HarnessError> {
        Ok(Verdict::Same)
    }
}

/// The test cases in the order in which they were run, and what was counted.
fn searched(workers: usize, delay: Duration) -> (Vec<TestCase>, Stats) {
    searched_within(workers, delay, u64::MAX)
}

/// The same with so many bytes for paths and expressions.
fn searched_within(workers: usize, delay: Duration, search_memory: u64) -> (Vec<TestCase>, Stats) {
    let log = Arc::new(Mutex::new(Vec::new()));
    let harness = || -> Box<dyn Harness> { Box::new(Toy { log: log.clone(), delay }) };
    let map = ProgramMap::default();
    let budget = Budget {
        deadline: Instant::now() + Duration::from_secs(600),
        runs: Some(RUNS),
        interrupt: parallax_execute::Interrupt::new(),
        memory: Memory { most: u64::MAX, used: || 0, trim: || () },
    };
    let seed = TestCase { stdin: b"a line of text".to_vec(), ..TestCase::default() };
    let outcome = search(
        vec![seed],
        (0..workers).map(|_| harness()).collect(),
        (Pair::new(&map, &map), &parallax_plan::Plan::default()),
        // A question that has no answer within this.
        &Settings {
            query_steps: 300_000,
            query_time: Duration::from_secs(600),
            search_memory,
            ..Settings::default()
        },
        &budget,
        &mut |_| (),
    )
    .unwrap();
    let log = std::mem::take(&mut *log.lock().unwrap());
    (log, Stats { seconds: 0.0, ..outcome.stats })
}

#[test]
fn a_search_with_little_memory_forgets_paths_and_goes_on_the_same_way_each_time() {
    // Less and less, until it does not suffice for all paths any more.
    let bounds = (1..20).map(|n| 100_000 - n * 4_000);
    let forgets = |bound| Some((bound, searched_within(1, Duration::ZERO, bound)));
    let forgetful = bounds.filter_map(forgets).find(|(_, (_, counted))| counted.forgotten_paths > 0);
    let (bound, (alone, counted)) = forgetful.expect("some bound is too small for all paths");
    assert_eq!(alone.len() as u64, RUNS, "{counted:?}");
    let (_, together) = searched_within(3, Duration::from_millis(1), bound);
    assert_eq!(counted, together);
}

#[test]
fn a_busy_machine_and_slow_runs_change_nothing_about_what_is_tried() {
    let (idle, counted) = searched(1, Duration::ZERO);
    assert!(idle.len() as u64 == RUNS && counted.sat > 0 && counted.unknown > 0, "{counted:?}");
    assert!(idle.iter().any(|test| test.stdin.starts_with(&WORD[..3])), "{counted:?}");
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let (busy, busy_counted) = searched(1, Duration::from_millis(2));
        let (mut together, together_counted) = searched(3, Duration::from_millis(2));
        over.store(true, Ordering::Relaxed);
        assert!(idle == busy, "another order");
        assert_eq!(counted, busy_counted);
        // Workers take turns as they like; what they are given is the same.
        let by_text = |test: &TestCase| format!("{test:?}");
        together.sort_by_cached_key(by_text);
        let mut sorted = idle.clone();
        sorted.sort_by_cached_key(by_text);
        assert!(together == sorted, "other test cases");
        assert_eq!(counted, together_counted);
    });
}
