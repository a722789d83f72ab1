//! Every layer, and all of them together, against brute force and against one another.

mod common;

use common::*;
use parallax_solve::layers::*;
use parallax_solve::*;
use parallax_trace::format::Op;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const BYTES: u32 = 3;
const BOUND: u8 = 6;

fn generous() -> Limit {
    Limit { steps: u64::MAX, time: Duration::from_secs(60) }
}

fn zero_seed(_: Var) -> Option<u8> {
    Some(0)
}

/// Each byte below this, so that all assignments can be tried.
fn limit_bytes(pool: &mut Pool, bytes: u32, below: u8) -> Vec<Constraint> {
    vars(bytes)
        .into_iter()
        .map(|var| {
            let (byte, bound) = (pool.byte(var), pool.constant(8, below.into()));
            Constraint::is(pool.binary(Op::Ult, byte, bound))
        })
        .collect()
}

/// Tries all assignments of bytes below a bound.
fn brute_force(query: &Query, bytes: u32, bound: u8) -> bool {
    let ids: Vec<VarId> = vars(bytes).into_iter().filter_map(|v| query.pool.find_var(v)).collect();
    let bound = u64::from(bound);
    let mut programs: Vec<(Program, bool)> =
        query.constraints.iter().map(|c| (Program::new(query.pool, &[c.expr]), c.holds)).collect();
    (0..bound.pow(ids.len() as u32)).any(|number| {
        let byte = |var: VarId| {
            let at = ids.iter().position(|id| *id == var).unwrap() as u32;
            (number / bound.pow(at) % bound) as u8
        };
        programs.iter_mut().all(|(program, holds)| (program.run_one(&byte) == 1) == *holds)
    })
}

/// A stack of one layer.
fn only(layer: impl Layer + 'static) -> Stack {
    Stack::new(vec![Box::new(layer)])
}

/// Asks one query; checks the model, and the core by asking it again.
fn verdict(solver: &mut dyn Solver, fresh: &mut dyn Solver, query: &Query) -> Option<bool> {
    match solver.check(query, &generous()) {
        Answer::Sat(model) => {
            assert!(query.holds_on(&model), "a wrong model");
            let vars: Vec<VarId> = model.iter().map(|(var, _)| var).collect();
            assert_eq!(vars, query.support(), "a model has values for the bytes of the query and no others");
            Some(true)
        }
        Answer::Unsat(core) => {
            assert!(core.windows(2).all(|pair| pair[0] < pair[1]), "{core:?}");
            let part: Vec<Constraint> = core.iter().map(|i| query.constraints[*i]).collect();
            let again = fresh.check(&Query::new(query.pool, &part, query.seed), &generous());
            assert!(matches!(again, Answer::Unsat(_)), "a core is not a contradiction: {again:?}");
            Some(false)
        }
        Answer::Unknown(_) => None,
    }
}

/// Random queries with all bytes below a bound, so that brute force knows the answer.
fn against_brute_force(
    count: u64,
    width: u8,
    make: &mut dyn FnMut() -> Stack,
    decides: impl Fn(Option<bool>) -> bool,
) {
    let mut seen = [0, 0];
    let mut stack = make();
    for seed in 0..count {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut pool = Pool::new();
        let mut constraints = random_constraints(&mut pool, &mut rng, BYTES, width);
        constraints.extend(limit_bytes(&mut pool, BYTES, BOUND));
        let values: [u8; BYTES as usize] = std::array::from_fn(|_| rng.u8(..));
        let bytes = |var: Var| values.get(var.offset as usize).copied();
        let query = Query::new(&pool, &constraints, &bytes);
        let wanted = brute_force(&query, BYTES, BOUND);
        let found = verdict(&mut stack, &mut make(), &query);
        assert!(decides(found), "seed {seed}: no answer");
        if let Some(found) = found {
            assert_eq!(found, wanted, "seed {seed}");
            seen[usize::from(found)] += 1;
        }
    }
    assert_eq!(stack.wrong_models(), 0);
    assert!(seen[0] > 10 && seen[1] > 10, "the queries are one-sided: {seen:?}");
}

#[test]
fn the_bit_blaster_agrees_with_brute_force() {
    against_brute_force(300, 64, &mut || only(BitBlast::new(usize::MAX, 1.0, 16)), |v| v.is_some());
}

#[test]
fn every_kind_of_z3_agrees_with_brute_force() {
    for kind in [Z3Kind::Logic, Z3Kind::General, Z3Kind::Tactics] {
        against_brute_force(200, 64, &mut || only(Z3::new(1.0, kind)), |v| v.is_some());
    }
}

#[test]
fn the_one_byte_layer_agrees_with_brute_force_where_it_decides() {
    against_brute_force(300, 64, &mut || only(OneByte::new(1_000_000)), |_| true);
}

/// A byte read through a table at a place that was itself read through it, and a third byte that must stay.
fn table_of_a_table(pool: &mut Pool) -> Vec<Constraint> {
    let bytes: Vec<u8> = (0..=255u8).map(|i| i.wrapping_mul(167).rotate_left(3) ^ 0x5a).collect();
    let table = pool.add_table(&bytes);
    let [a, b, c] = [0, 1, 2].map(|offset| pool.byte(Var { input: 0, offset }));
    let index = pool.zext(a, 64);
    let inner = pool.read(table, index, 8);
    let sum = pool.binary(Op::Xor, inner, b);
    let index = pool.zext(sum, 64);
    let outer = pool.read(table, index, 8);
    vec![Constraint::is(pool.eq_const(outer, 0x77)), Constraint::is(pool.eq_const(c, 9))]
}

#[test]
fn a_change_of_one_byte_is_found_by_evaluation_unless_the_limit_comes_first() {
    let mut pool = Pool::new();
    let constraints = table_of_a_table(&mut pool);
    let seed = |var: Var| [200, 100, 9].get(var.offset as usize).copied();
    let query = Query::new(&pool, &constraints, &seed);
    let Answer::Sat(model) = only(Near::new(1_000_000)).check(&query, &generous()) else {
        panic!("not found")
    };
    assert!(query.holds_on(&model));
    assert_eq!(model.changes(&query).len(), 1);
    let short = only(Near::new(10)).check(&query, &generous());
    assert_eq!(short, Answer::Unknown(Unknown::GaveUp));
}

#[test]
fn a_change_of_two_bytes_is_found_by_evaluation() {
    let mut pool = Pool::new();
    let [a, b] = [0, 1].map(|offset| pool.byte(Var { input: 0, offset }));
    let both = pool.binary(Op::Concat, a, b);
    let constraints = [Constraint::is(pool.eq_const(both, 0x1234))];
    let seed = |_: Var| Some(7);
    let query = Query::new(&pool, &constraints, &seed);
    let Answer::Sat(model) = only(Near::new(1_000_000)).check(&query, &generous()) else {
        panic!("not found")
    };
    assert_eq!(model.changes(&query).len(), 2);
}

/// Four digits as a year, and the day of the week on which it begins.
fn weekday_of_new_year(pool: &mut Pool) -> (Vec<Constraint>, ExprId) {
    let (mut digits, mut year) = (Vec::new(), pool.constant(32, 0));
    for offset in 0..4 {
        let byte = pool.byte(Var { input: 0, offset });
        let (low, high) = (pool.constant(8, b'0'.into()), pool.constant(8, b'9'.into()));
        digits.push(Constraint::is(pool.binary(Op::Ule, low, byte)));
        digits.push(Constraint::is(pool.binary(Op::Ule, byte, high)));
        let (digit, ten) = (pool.binary(Op::Sub, byte, low), pool.constant(32, 10));
        let (digit, tens) = (pool.zext(digit, 32), pool.binary(Op::Mul, year, ten));
        year = pool.binary(Op::Add, tens, digit);
    }
    let [four, hundred, days, seven] = [4, 100, 365, 7].map(|n| pool.constant(32, n));
    let (leap, not) = (pool.binary(Op::UDiv, year, four), pool.binary(Op::UDiv, year, hundred));
    let (all, more) = (pool.binary(Op::Mul, year, days), pool.binary(Op::Sub, leap, not));
    let all = pool.binary(Op::Add, all, more);
    (digits, pool.binary(Op::URem, all, seven))
}

#[test]
fn a_walk_finds_what_is_computed_by_division_and_walks_nowhere_else() {
    let mut pool = Pool::new();
    let (mut constraints, weekday) = weekday_of_new_year(&mut pool);
    constraints.push(Constraint::is(pool.eq_const(weekday, 4)));
    let seed = |var: Var| b"2024".get(var.offset as usize).copied();
    let query = Query::new(&pool, &constraints, &seed);
    let mut walk = Stack::new(vec![Box::new(OneByte::new(0)), Box::new(Walk::new(1_000_000, 1_000_000))]);
    let Answer::Sat(model) = walk.check(&query, &generous()) else { panic!("not found") };
    assert!(query.holds_on(&model));
    assert_eq!(walk.check(&query, &generous()), Answer::Sat(model), "another walk the second time");
    let short = only(Walk::new(10, 10)).check(&query, &generous());
    assert_eq!(short, Answer::Unknown(Unknown::GaveUp));
    // Without divisions the solvers are faster.
    let query = Query::new(&pool, &constraints[..1], &seed);
    assert_eq!(
        only(Walk::new(1_000_000, 1_000_000)).check(&query, &generous()),
        Answer::Unknown(Unknown::GaveUp)
    );
}

#[test]
fn a_walk_is_never_wrong() {
    let walk_first = || -> Stack {
        Stack::new(vec![Box::new(Walk::new(100_000, 100_000)), Box::new(Z3::new(1.0, Z3Kind::Logic))])
    };
    against_brute_force(300, 64, &mut { walk_first }, |v| v.is_some());
}

#[test]
fn the_standard_stack_agrees_with_brute_force() {
    against_brute_force(600, 64, &mut || standard_stack(&Settings::default()), |v| v.is_some());
}

#[test]
fn the_interval_layer_is_never_wrong_when_it_says_unsat() {
    let mut decided = 0;
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut pool = Pool::new();
        let mut constraints = random_constraints(&mut pool, &mut rng, 2, 32);
        constraints.extend(limit_bytes(&mut pool, 2, 12));
        let query = Query::new(&pool, &constraints, &zero_seed);
        // No combinations are tried: only domains reach the interval layer.
        let mut stack = Stack::new(vec![Box::new(OneByte::new(0)), Box::new(Interval)]);
        if let Answer::Unsat(core) = stack.check(&query, &generous()) {
            let part: Vec<Constraint> = core.iter().map(|i| constraints[*i]).collect();
            let part: Vec<Constraint> = part.into_iter().chain(limit_bytes(&mut pool, 2, 12)).collect();
            assert!(!brute_force(&Query::new(&pool, &part, &zero_seed), 2, 12), "seed {seed}");
            decided += u32::from(stack.statistics().any(|(name, s)| name == "interval" && s.unsat > 0));
        }
    }
    assert!(decided > 20, "the layer decided {decided} queries only");
}

#[test]
fn all_solvers_agree_on_wide_random_formulas() {
    let mut both = [0, 0];
    let mut stack = standard_stack(&Settings::default());
    let fresh = || only(BitBlast::new(usize::MAX, 1.0, 16));
    for seed in 0..250 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut pool = Pool::new();
        let constraints = random_constraints(&mut pool, &mut rng, 6, 16);
        let query = Query::new(&pool, &constraints, &|var| Some(var.offset as u8 * 17));
        let blaster = verdict(&mut only(BitBlast::new(usize::MAX, 1.0, 16)), &mut fresh(), &query);
        let z3 = verdict(&mut only(Z3::new(1.0, Z3Kind::Logic)), &mut fresh(), &query);
        let chain = verdict(&mut stack, &mut fresh(), &query);
        assert!(
            blaster.is_some() && blaster == z3 && z3 == chain,
            "seed {seed}: {blaster:?} {z3:?} {chain:?}"
        );
        both[usize::from(blaster == Some(true))] += 1;
    }
    assert!(both[0] > 10 && both[1] > 10, "{both:?}");
}

/// Every operator on full widths, a solver's value for it against evaluation.
fn operators_agree(make: fn() -> Stack) {
    let mut rng = fastrand::Rng::with_seed(7);
    for op in parallax_solve::random::OPERATORS {
        for _ in 0..6 {
            // Without rules, so that the solvers see every operator.
            let mut pool = Pool::without_rules();
            let bytes: Vec<u8> = (0..BYTES).map(|_| rng.u8(..)).collect();
            let mut below = |n: u64| rng.u64(..n);
            let mut random = parallax_solve::random::Random::new(&mut below, vars(BYTES));
            let expr = random.any(&mut pool, op, 1);
            let value = eval(&pool, expr, &|var| bytes[pool.var(var).offset as usize]);
            let mut constraints: Vec<Constraint> = Vec::new();
            for (var, byte) in vars(BYTES).into_iter().zip(&bytes) {
                let var = pool.byte(var);
                constraints.push(Constraint::is(pool.eq_const(var, (*byte).into())));
            }
            let right = Constraint::is(pool.eq_const(expr, value));
            constraints.push(right);
            let ask = |constraints: &[Constraint]| {
                make().check(&Query::new(&pool, constraints, &zero_seed), &generous())
            };
            assert!(matches!(ask(&constraints), Answer::Sat(_)), "{op:?}: {:?}", pool.node(expr));
            constraints.pop();
            constraints.push(right.negated());
            assert!(matches!(ask(&constraints), Answer::Unsat(_)), "{op:?}: {:?}", pool.node(expr));
        }
    }
}

#[test]
fn the_bit_blaster_computes_every_operator_as_it_is_defined() {
    operators_agree(|| only(BitBlast::new(usize::MAX, 1.0, 16)));
}

#[test]
fn z3_computes_every_operator_as_it_is_defined() {
    operators_agree(|| only(Z3::new(1.0, Z3Kind::Logic)));
}

/// A product of two 32-bit numbers that is a large semiprime: nothing finds its factors at once.
fn hard(pool: &mut Pool) -> Vec<Constraint> {
    let mut number = |first: u32| {
        let mut bytes =
            (first..first + 4).map(|offset| pool.byte(Var { input: 0, offset })).collect::<Vec<_>>();
        let low = bytes.remove(0);
        let whole = bytes.into_iter().fold(low, |low, high| pool.concat(high, low));
        pool.zext(whole, 64)
    };
    let (a, b) = (number(0), number(4));
    let product = pool.binary(Op::Mul, a, b);
    let semiprime = 2_860_486_313u64 * 3_037_000_493;
    let one = pool.constant(64, 1);
    vec![
        Constraint::is(pool.eq_const(product, semiprime)),
        Constraint::is(pool.binary(Op::Ult, one, a)),
        Constraint::is(pool.binary(Op::Ult, one, b)),
    ]
}

#[test]
fn a_limit_on_time_is_kept() {
    let mut pool = Pool::new();
    let constraints = hard(&mut pool);
    let query = Query::new(&pool, &constraints, &zero_seed);
    let limit = Limit { steps: u64::MAX, time: Duration::from_millis(300) };
    for mut solver in [
        standard_stack(&Settings::default()),
        only(Z3::new(1.0, Z3Kind::Logic)),
        only(BitBlast::new(usize::MAX, 1.0, 16)),
    ] {
        let start = Instant::now();
        let answer = solver.check(&query, &limit);
        assert_eq!(answer, Answer::Unknown(Unknown::Late));
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    }
}

/// However fast the machine is: what a query costs is the same each time, and it ends at its limit.
#[test]
fn a_limit_on_steps_is_kept_and_the_same_query_costs_the_same_each_time() {
    let mut pool = Pool::new();
    let constraints = hard(&mut pool);
    let query = Query::new(&pool, &constraints, &zero_seed);
    let solvers: [fn() -> Stack; 3] = [
        || standard_stack(&Settings::default()),
        || only(Z3::new(1.0, Z3Kind::Logic)),
        || only(BitBlast::new(usize::MAX, 1.0, 16)),
    ];
    for make in solvers {
        let costs: Vec<u64> = [1u64, 2, 2]
            .into_iter()
            .map(|millions| {
                let limit = Limit { steps: millions * 1_000_000, time: Duration::from_secs(600) };
                let mut solver = make();
                let answer = solver.check(&query, &limit);
                assert!(matches!(answer, Answer::Unknown(why) if why != Unknown::Late), "{answer:?}");
                solver.spent()
            })
            .collect();
        assert!(costs[0] < costs[1] && costs[1] < 4_000_000, "{costs:?}");
        assert_eq!(costs[1], costs[2]);
    }
}

#[test]
fn an_interrupted_z3_answers_the_next_question() {
    let mut pool = Pool::new();
    let constraints = hard(&mut pool);
    let byte = pool.byte(Var { input: 0, offset: 0 });
    let easy = [Constraint::is(pool.eq_const(byte, 98))];
    for kind in [Z3Kind::Logic, Z3Kind::General, Z3Kind::Tactics] {
        let mut z3 = only(Z3::new(1.0, kind));
        for _ in 0..3 {
            let short = Limit { steps: u64::MAX, time: Duration::from_millis(50) };
            let answer = z3.check(&Query::new(&pool, &constraints, &zero_seed), &short);
            assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
            let answer = z3.check(&Query::new(&pool, &easy, &zero_seed), &generous());
            assert!(matches!(answer, Answer::Sat(_)), "{kind:?}: {answer:?}");
        }
    }
}

/// Z3's own timers lose memory here, or wait for each other for ever.
#[test]
fn z3_works_while_other_threads_start_processes() {
    let over = AtomicBool::new(false);
    let user = std::fs::metadata("/proc/self").unwrap().uid();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    // A user of its own, though the same, makes it a `fork` rather than a `posix_spawn`.
                    assert!(Command::new("true").uid(user).status().unwrap().success());
                }
            });
        }
        let mut pool = Pool::new();
        let byte = pool.byte(Var { input: 0, offset: 0 });
        let other = pool.byte(Var { input: 0, offset: 1 });
        let mut z3 = only(Z3::new(1.0, Z3Kind::Logic));
        for round in 0..300u32 {
            let sum = pool.binary(Op::Mul, byte, other);
            let constraints = [Constraint::is(pool.eq_const(sum, (round % 256).into()))];
            let answer = z3.check(&Query::new(&pool, &constraints, &zero_seed), &generous());
            assert!(matches!(answer, Answer::Sat(_)), "{answer:?}");
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_limit_on_gates_is_kept() {
    let mut pool = Pool::new();
    let constraints = hard(&mut pool);
    let query = Query::new(&pool, &constraints, &zero_seed);
    let answer = only(BitBlast::new(100, 1.0, 16)).check(&query, &generous());
    assert_eq!(answer, Answer::Unknown(Unknown::GaveUp));
}

/// Says that every byte is 99, whatever was asked.
struct Liar;

impl Layer for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn check(&mut self, query: &Query, _: &Budget, _: &mut Below) -> Answer {
        Answer::Sat(query.support().into_iter().map(|var| (var, 99)).collect())
    }
}

#[test]
fn a_wrong_model_is_counted_and_not_returned() {
    let mut pool = Pool::new();
    let byte = pool.byte(Var { input: 0, offset: 0 });
    let constraints = [Constraint::is(pool.eq_const(byte, 98))];
    let query = Query::new(&pool, &constraints, &zero_seed);
    let mut stack = only(Liar);
    assert_eq!(stack.check(&query, &generous()), Answer::Unknown(Unknown::WrongModel));
    assert_eq!(stack.wrong_models(), 1);
}

#[test]
fn only_bytes_that_must_change_change() {
    let mut pool = Pool::new();
    let bytes: Vec<ExprId> = vars(6).into_iter().map(|var| pool.byte(var)).collect();
    // Byte 0 must be 'x'; bytes 1 and 2 must have a sum of 200; the others are free or as they should be.
    let sum = pool.binary(Op::Add, bytes[1], bytes[2]);
    let differ = pool.eq(bytes[3], bytes[4]);
    let constraints = [
        Constraint::is(pool.eq_const(bytes[0], b'x'.into())),
        Constraint::is(pool.eq_const(sum, 200)),
        Constraint { expr: differ, holds: false },
    ];
    let seed = |var: Var| Some(b"abcdef"[var.offset as usize]);
    let query = Query::new(&pool, &constraints, &seed);
    let Answer::Sat(model) = standard_stack(&Settings::default()).check(&query, &generous()) else {
        panic!("there is a model");
    };
    let changes = model.changes(&query);
    assert_eq!(changes[0], (Var { input: 0, offset: 0 }, b'x'));
    assert_eq!(changes.len(), 2, "one of bytes 1 and 2 can stay: {changes:?}");
}
