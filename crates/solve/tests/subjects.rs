//! The whole way on traces like those of real programs: labels, queries, models, and the traces' own evaluator
//! as the judge.

use parallax_solve::layers::BitBlast;
use parallax_solve::subjects::{flips, trace, KINDS};
use parallax_solve::*;
use std::time::Duration;

fn limit() -> Limit {
    Limit { steps: u64::MAX, time: Duration::from_secs(30) }
}

#[test]
fn a_model_takes_the_path_to_its_branch_and_then_the_other_way() {
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut sat, mut unsat) = (0, 0);
    let mut stack = standard_stack(&Settings::default());
    for (name, kind) in KINDS.iter().cycle().take(3 * KINDS.len()) {
        let trace = trace(*kind, &mut |n| rng.u64(..n));
        let mut pool = Pool::new();
        let conditions = trace.conditions(&[]);
        let queries = flips(&mut pool, &trace);
        assert_eq!(queries.len(), conditions.len());
        let seed = |var: Var| trace.inputs()[var.input as usize].byte(var.offset);
        for (number, constraints) in queries.iter().enumerate() {
            let query = Query::new(&pool, constraints, &seed);
            match stack.check(&query, &limit()) {
                Answer::Sat(model) => {
                    sat += 1;
                    let byte = |input, offset| {
                        let var = Var { input, offset };
                        pool.find_var(var).and_then(|id| model.get(id)).or(seed(var))
                    };
                    let values = trace.eval_all(&byte);
                    let holds = |i: usize| {
                        values.get(conditions[i].label).is_some_and(|v| conditions[i].expect.holds(v))
                    };
                    assert!((0..number).all(holds), "{name}: the path to branch {number} changed");
                    assert!(!holds(number), "{name}: branch {number} was not turned around");
                }
                Answer::Unsat(_) => {
                    unsat += 1;
                    let mut other = Stack::new(vec![Box::new(BitBlast::new(usize::MAX, 1.0, 0))]);
                    let again = other.check(&query, &limit());
                    assert!(matches!(again, Answer::Unsat(_)), "{name}: branch {number}: {again:?}");
                }
                Answer::Unknown(why) => panic!("{name}: branch {number}: {why:?}"),
            }
        }
    }
    assert!(sat > 50 && unsat > 20, "{sat} {unsat}");
    assert_eq!(stack.wrong_models(), 0);
}

/// How many queries a layer passed on.
fn passed(stack: &Stack, layer: &str) -> u64 {
    stack.statistics().find(|(name, _)| *name == layer).map_or(0, |(_, s)| s.passed)
}

/// Two 16-bit sums over four bytes; a query that no shortcut decides.
fn sums(pool: &mut Pool, wanted: [u64; 2]) -> Vec<Constraint> {
    use parallax_trace::format::Op;
    let bytes: Vec<ExprId> = (0..4)
        .map(|offset| {
            let byte = pool.byte(Var { input: 0, offset });
            pool.zext(byte, 16)
        })
        .collect();
    let [x, y] = [Op::Mul, Op::Add].map(|op| {
        let (a, b) = (pool.binary(op, bytes[0], bytes[1]), pool.binary(op, bytes[2], bytes[3]));
        pool.binary(Op::Add, a, b)
    });
    vec![Constraint::is(pool.eq_const(x, wanted[0])), Constraint::is(pool.eq_const(y, wanted[1]))]
}

#[test]
fn a_model_found_before_answers_a_weaker_query() {
    let mut pool = Pool::new();
    let constraints = sums(&mut pool, [20_000, 500]);
    let seed = |_: Var| Some(0);
    let mut stack = standard_stack(&Settings::default());
    assert!(matches!(stack.check(&Query::new(&pool, &constraints, &seed), &limit()), Answer::Sat(_)));
    let before = passed(&stack, "model reuse");
    assert!(matches!(stack.check(&Query::new(&pool, &constraints[..1], &seed), &limit()), Answer::Sat(_)));
    assert_eq!(passed(&stack, "model reuse"), before);
}

#[test]
fn a_contradiction_found_before_answers_a_stronger_query() {
    let mut pool = Pool::new();
    // Four bytes with a sum of 1019 are 255 but for one: only one sum of products is possible.
    let mut constraints = sums(&mut pool, [20_001, 1019]);
    let seed = |_: Var| Some(0);
    let mut stack = standard_stack(&Settings::default());
    assert!(matches!(stack.check(&Query::new(&pool, &constraints, &seed), &limit()), Answer::Unsat(_)));
    let before = passed(&stack, "core reuse");
    let byte = pool.byte(Var { input: 0, offset: 1 });
    constraints.insert(0, Constraint { expr: pool.eq_const(byte, 7), holds: false });
    let answer = stack.check(&Query::new(&pool, &constraints, &seed), &limit());
    assert_eq!(answer, Answer::Unsat(vec![1, 2]));
    assert_eq!(passed(&stack, "core reuse"), before);
}

#[test]
fn what_was_remembered_of_one_pool_is_not_used_with_another() {
    let seed = |_: Var| Some(0);
    let mut stack = standard_stack(&Settings::default());
    for value in [20_001, 20_000] {
        // The ids of both pools are the same; what they mean is not.
        let mut pool = Pool::new();
        let constraints = sums(&mut pool, [value, if value == 20_001 { 1019 } else { 500 }]);
        let answer = stack.check(&Query::new(&pool, &constraints, &seed), &limit());
        assert_eq!(matches!(answer, Answer::Unsat(_)), value == 20_001, "{answer:?}");
    }
}

#[test]
fn the_part_of_a_path_that_a_question_needs_has_the_same_answer_as_the_whole() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut smaller = 0;
    for (name, kind) in KINDS {
        let trace = trace(kind, &mut |n| rng.u64(..n));
        let mut pool = Pool::new();
        let mut path = Path::new();
        let seed = |var: Var| trace.inputs()[var.input as usize].byte(var.offset);
        for whole in flips(&mut pool, &trace) {
            let flipped = whole[whole.len() - 1];
            let part = path.question(&pool, flipped);
            assert_eq!(part.last(), Some(&flipped));
            smaller += whole.len() - part.len();
            let ask = |c: &[Constraint]| {
                standard_stack(&Settings::default()).check(&Query::new(&pool, c, &seed), &limit())
            };
            match (ask(&part), ask(&whole)) {
                (Answer::Sat(model), Answer::Sat(_)) => {
                    assert!(Query::new(&pool, &whole, &seed).holds_on(&model), "{name}");
                }
                (Answer::Unsat(_), Answer::Unsat(_)) => {}
                (a, b) => panic!("{name}: {a:?}, but {b:?}"),
            }
            path.push(&pool, flipped.negated());
        }
    }
    assert!(smaller > 100, "nothing was left out");
}

#[test]
fn the_same_queries_in_the_same_order_have_the_same_answers() {
    let answers = || {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut stack = standard_stack(&Settings::default());
        let mut answers = Vec::new();
        for (_, kind) in KINDS {
            let trace = trace(kind, &mut |n| rng.u64(..n));
            let mut pool = Pool::new();
            let seed = |var: Var| trace.inputs()[var.input as usize].byte(var.offset);
            for constraints in flips(&mut pool, &trace) {
                answers.push(stack.check(&Query::new(&pool, &constraints, &seed), &limit()));
            }
        }
        answers
    };
    assert_eq!(answers(), answers());
}
