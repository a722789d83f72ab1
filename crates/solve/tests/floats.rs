//! Floating point in the solver: against brute force, and what must be decided without search.

#[allow(dead_code)]
mod common;

use common::*;
use parallax_solve::layers::*;
use parallax_solve::random::Random;
use parallax_solve::*;
use parallax_trace::float::order;
use parallax_trace::format::Op;

const BOUND: u64 = 12;

fn limit() -> Limit {
    Limit { steps: 400_000_000, ..Limit::default() }
}

/// Numbers read from digits: `digits` of them, the last `behind` behind the point.
fn decimal(pool: &mut Pool, first: u32, digits: u32, behind: u32) -> (ExprId, Vec<Constraint>) {
    let mut value = pool.constant(64, 0);
    let mut constraints = Vec::new();
    for offset in first..first + digits {
        let byte = pool.byte(Var { input: 0, offset });
        let (zero, ten) = (pool.constant(8, b'0'.into()), pool.constant(64, 10));
        let digit = pool.binary(Op::Sub, byte, zero);
        let bound = pool.constant(8, 10);
        constraints.push(Constraint::is(pool.binary(Op::Ult, digit, bound)));
        let digit = pool.zext(digit, 64);
        let shifted = pool.binary(Op::Mul, value, ten);
        value = pool.binary(Op::Add, shifted, digit);
    }
    let exponent = pool.constant(32, u64::from(behind).wrapping_neg());
    (pool.float(Op::FDecimal, 64, [Some(value), Some(exponent), None], 0), constraints)
}

fn real(pool: &mut Pool, value: f64) -> ExprId {
    pool.constant(64, value.to_bits())
}

fn arithmetic(pool: &mut Pool, op: Op, a: ExprId, b: ExprId) -> ExprId {
    pool.float(op, 64, [Some(a), Some(b), None], 0)
}

fn zeros(_: Var) -> Option<u8> {
    Some(b'0')
}

fn check(stack: &mut Stack, pool: &Pool, constraints: &[Constraint]) -> Option<bool> {
    let query = Query::new(pool, constraints, &zeros);
    match stack.check(&query, &limit()) {
        Answer::Sat(model) => {
            assert!(query.holds_on(&model));
            Some(true)
        }
        Answer::Unsat(_) => Some(false),
        Answer::Unknown(_) => None,
    }
}

/// The bit-blaster alone: it has to understand what floating point means.
fn blaster() -> Stack {
    Stack::new(vec![Box::new(BitBlast::new(usize::MAX, 1.0, 4))])
}

#[test]
fn answers_about_floating_point_are_those_of_brute_force() {
    let (mut seen, mut decided) = ([0, 0], [0; 5]);
    let mut stacks = [
        blaster(),
        Stack::new(vec![Box::new(Z3::new(1.0, Z3Kind::Logic))]),
        standard_stack(&Settings::default()),
    ];
    const QUERIES: u64 = 120;
    for seed in 0..QUERIES {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut pool = if seed % 2 == 0 { Pool::new() } else { Pool::without_rules() };
        let mut constraints = Vec::new();
        let mut below = |n: u64| rng.u64(..n);
        let mut random = Random::new(&mut below, vars(2));
        for _ in 0..2 {
            let op = [Op::FLt, Op::FLe, Op::FEq][random.below(3) as usize];
            let (a, b) = (random.real(&mut pool, 64, 3), random.real(&mut pool, 64, 2));
            constraints.push(Constraint { expr: pool.binary(op, a, b), holds: random.below(3) > 0 });
        }
        for var in vars(2) {
            let (byte, bound) = (pool.byte(var), pool.constant(8, BOUND));
            constraints.push(Constraint::is(pool.binary(Op::Ult, byte, bound)));
        }
        let wanted = (0..BOUND * BOUND).any(|number| {
            let byte =
                |var: VarId| (if pool.var(var).offset == 0 { number % BOUND } else { number / BOUND }) as u8;
            constraints.iter().all(|c| (eval(&pool, c.expr, &byte) == 1) == c.holds)
        });
        seen[usize::from(wanted)] += 1;
        for (number, stack) in stacks.iter_mut().enumerate() {
            let found = check(stack, &pool, &constraints);
            assert!(found.is_none() || found == Some(wanted), "seed {seed}, stack {number}: {found:?}");
            decided[number] += u64::from(found.is_some());
        }
    }
    assert!(stacks.iter().all(|stack| stack.wrong_models() == 0));
    assert!(seen[0] > 10 && seen[1] > 10, "the queries are one-sided: {seen:?}");
    assert!(decided[0] > QUERIES * 2 / 3, "lemmas decide too few of {QUERIES}: {decided:?}");
    assert!(decided[3] > QUERIES / 2, "Z3 decides too few of {QUERIES}: {decided:?}");
    assert!(decided[4] >= decided[0], "all together decide fewer: {decided:?}");
}

#[test]
fn a_limit_behind_a_chain_of_conversions_is_a_limit_of_the_digits() {
    let mut pool = Pool::new();
    let (x, mut constraints) = decimal(&mut pool, 0, 5, 2);
    // Fahrenheit to Celsius, above 37.5.
    let [t, five, nine, fever] = [32.0, 5.0, 9.0, 37.5].map(|v| real(&mut pool, v));
    let celsius = arithmetic(&mut pool, Op::FSub, x, t);
    let celsius = arithmetic(&mut pool, Op::FMul, celsius, five);
    let celsius = arithmetic(&mut pool, Op::FDiv, celsius, nine);
    let above = pool.binary(Op::FLt, fever, celsius);
    assert!(!pool.cone(&[above]).iter().any(|id| pool.node(*id).op.is_float()), "{:?}", pool.node(above));
    constraints.push(Constraint::is(above));
    assert_eq!(check(&mut blaster(), &pool, &constraints), Some(true));
}

#[test]
fn sums_of_numbers_that_were_read_are_decided_by_lemmas() {
    let mut pool = Pool::new();
    let (x, mut constraints) = decimal(&mut pool, 0, 4, 2);
    let (y, more) = decimal(&mut pool, 4, 4, 2);
    constraints.extend(more);
    let sum = arithmetic(&mut pool, Op::FAdd, x, y);
    let bound = real(&mut pool, 199.97);
    let above = pool.binary(Op::FLt, bound, sum);
    let most = real(&mut pool, 199.98);
    let too_large = pool.binary(Op::FLt, most, sum);
    constraints.push(Constraint::is(above));
    assert_eq!(check(&mut blaster(), &pool, &constraints), Some(true));
    constraints.push(Constraint::is(too_large));
    assert_eq!(check(&mut blaster(), &pool, &constraints), Some(false));
}

#[test]
fn a_point_on_a_circle_is_found_by_local_search() {
    let mut pool = Pool::new();
    let (x, mut constraints) = decimal(&mut pool, 0, 3, 1);
    let (y, more) = decimal(&mut pool, 3, 3, 1);
    let (radius, last) = decimal(&mut pool, 6, 2, 1);
    constraints.extend(more.into_iter().chain(last));
    let [xx, yy] = [x, y].map(|v| arithmetic(&mut pool, Op::FMul, v, v));
    let sum = arithmetic(&mut pool, Op::FAdd, xx, yy);
    let distance = pool.float(Op::FMath1, 64, [Some(sum), None, None], 0);
    let zero = real(&mut pool, 0.0);
    for (op, a, b) in [(Op::FLe, distance, radius), (Op::FLt, zero, x), (Op::FLt, zero, y)] {
        constraints.push(Constraint::is(pool.binary(op, a, b)));
    }
    constraints.push(Constraint { expr: pool.binary(Op::FLt, distance, radius), holds: false });
    let mut stack = Stack::new(vec![Box::new(OneByte::new(0)), Box::new(Descend::new(3_000_000))]);
    assert_eq!(check(&mut stack, &pool, &constraints), Some(true));
}

#[test]
fn recorded_queries_with_floating_point_are_read_back() {
    for seed in 0..100 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut below = |n: u64| rng.u64(..n);
        let mut random = Random::new(&mut below, vars(3));
        let mut pool = Pool::without_rules();
        let (a, b) = (random.real(&mut pool, 64, 4), random.real(&mut pool, 64, 2));
        let constraint = Constraint::is(pool.binary(Op::FLe, a, b));
        let query = Query::new(&pool, &[constraint][..], &zeros).constraints.to_vec();
        let script = smtlib::script(&Query::new(&pool, &query, &zeros));
        let mut other = Pool::without_rules();
        let read = smtlib_reader::read(&mut other, &script).unwrap();
        for _ in 0..8 {
            let bytes: [u8; 3] = std::array::from_fn(|_| rng.u8(..));
            let first = eval(&pool, constraint.expr, &|var| bytes[pool.var(var).offset as usize]);
            let again = eval(&other, read.constraints[0].expr, &|var| bytes[other.var(var).offset as usize]);
            assert_eq!(first, again, "{script}");
        }
    }
}

#[test]
fn neighbours_in_order_are_neighbours_in_value() {
    let numbers =
        [f64::NEG_INFINITY, -1.5, -0.0, 0.0, f64::MIN_POSITIVE, 1.0, 1.0 + f64::EPSILON, f64::INFINITY];
    let places: Vec<i64> = numbers.iter().map(|x| order(x.to_bits(), 64)).collect();
    assert!(places.is_sorted());
    assert_eq!(places[2], places[3]);
    assert_eq!(places[5] + 1, places[6]);
}
