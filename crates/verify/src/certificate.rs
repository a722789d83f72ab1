//! What a third party needs to check a result: SMT-LIB scripts, each with the answer that it must have.
//!
//! In: conditions over the bytes of a shape. Out: a script with `(set-info :status …)`; and, for `parallax check`, the answers of both
//! solvers to such a script.
//!
//! For each shape there are: of every equal partition, that no member makes the outputs differ (unsatisfiable); that no input is in two
//! partitions (unsatisfiable); and, if the shape was explored to its end, that every input is in one (unsatisfiable). A byte is named
//! `|input[offset]|`; a comment says which input has which number.

use crate::names::Names;
use parallax_execute::TestCase;
use parallax_solve::layers::{BitBlast, Independence, Z3Kind, Z3};
use parallax_solve::smtlib_reader::read;
use parallax_solve::{Answer, Constraint, ExprId, Limit, Pool, Query, Solver, Stack, Var};
use std::fmt::Write;

/// Gates of one script.
const GATES: usize = 50_000_000;

/// A script: all of these hold.
pub fn script(
    pool: &Pool,
    names: &Names,
    test: &TestCase,
    holds: &[ExprId],
    satisfiable: bool,
    what: &str,
) -> String {
    let constraints: Vec<Constraint> = holds.iter().map(|e| Constraint::is(*e)).collect();
    let seed = |var: Var| names.byte(test, var);
    let query = Query::new(pool, &constraints, &seed);
    let status = if satisfiable { "sat" } else { "unsat" };
    let mut out = format!("; {what}\n");
    let mut inputs: Vec<u32> = query.support().iter().map(|var| pool.var(*var).input).collect();
    inputs.dedup();
    for input in inputs {
        let shown = names.shown(Var { input, offset: 0 });
        let _ = writeln!(out, "; |{input}[N]| is byte N of {}", shown.trim_end_matches("[0]"));
    }
    let _ = writeln!(out, "(set-info :status {status})");
    out + &parallax_solve::smtlib::script(&query)
}

/// What came of checking a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Both solvers gave the answer that it must have.
    Confirmed,
    /// A solver gave another.
    Refuted(String),
    /// It could not be read, or a solver could not say.
    Undecided(String),
}

/// Asks both solvers about a script.
pub fn check(text: &str, limit: &Limit) -> Checked {
    let wanted = text.lines().find_map(|line| line.strip_prefix("(set-info :status ")?.strip_suffix(')'));
    let Some(wanted) = wanted else {
        return Checked::Undecided("it does not say which answer it must have (:status)".to_owned());
    };
    let mut pool = Pool::new();
    let recorded = match read(&mut pool, text) {
        Ok(recorded) => recorded,
        Err(error) => return Checked::Undecided(format!("it cannot be read: {error}")),
    };
    let seed = |_: Var| None;
    let query = Query::new(&pool, &recorded.constraints, &seed);
    let solvers: [(&str, Stack); 2] = [
        ("the bit-blaster on CaDiCaL", Stack::new(vec![Box::new(BitBlast::new(GATES, 1.0, 0))])),
        ("Z3", Stack::new(vec![Box::new(Independence), Box::new(Z3::new(1.0, Z3Kind::Logic))])),
    ];
    for (name, mut solver) in solvers {
        let answer = match solver.check(&query, limit) {
            Answer::Sat(_) => "sat",
            Answer::Unsat(_) => "unsat",
            Answer::Unknown(why) => return Checked::Undecided(format!("{name} could not say ({why:?})")),
        };
        if answer != wanted {
            return Checked::Refuted(format!("{name} says {answer}, and it must be {wanted}"));
        }
    }
    Checked::Confirmed
}

#[cfg(test)]
mod tests {
    use super::*;
    use parallax_trace::request::Source;

    #[test]
    fn a_script_is_confirmed_by_both_solvers_and_a_changed_one_refuted() {
        let (mut pool, mut names) = (Pool::new(), Names::default());
        let input = names.number(&Source::Stdin);
        let byte = pool.byte(Var { input, offset: 0 });
        let (one, two) = (pool.eq_const(byte, 1), pool.eq_const(byte, 2));
        let test = TestCase { stdin: vec![1], ..TestCase::default() };
        let limit = Limit::default();
        let sat = script(&pool, &names, &test, &[one], true, "one");
        let unsat = script(&pool, &names, &test, &[one, two], false, "both");
        assert_eq!((check(&sat, &limit), check(&unsat, &limit)), (Checked::Confirmed, Checked::Confirmed));
        let wrong = unsat.replace("(_ bv2 8)", "(_ bv1 8)");
        assert!(wrong != unsat && matches!(check(&wrong, &limit), Checked::Refuted(_)));
        assert!(matches!(check("(check-sat)", &limit), Checked::Undecided(_)));
        assert!(sat.contains("; |0[N]| is byte N of stdin"));
    }
}
