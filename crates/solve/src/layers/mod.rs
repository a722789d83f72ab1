//! The layers of the stack, each in a file.
//!
//! In: a query. Out: an answer, from the layer itself or from the layers below it.
//!
//! Always holds: numbers in a core are numbers of the query that the layer was given, whatever it made of it
//! for the layers below.

mod bit_blast;
mod core_reuse;
mod descend;
mod independence;
mod interval;
mod model_reuse;
mod near;
mod one_byte;
mod record;
mod restore;
mod split;
mod walk;
mod z3;
mod z3_real;

pub use bit_blast::{BitBlast, REFINEMENTS};
pub use core_reuse::CoreReuse;
pub use descend::Descend;
pub use independence::Independence;
pub use interval::Interval;
pub use model_reuse::ModelReuse;
pub use near::Near;
pub use one_byte::OneByte;
pub use record::Record;
pub use restore::Restore;
pub use split::Split;
pub use walk::Walk;
pub use z3::{Z3Kind, Z3};
pub use z3_real::Z3Real;

use crate::query::Answer;

/// The answer to a query whose constraint `i` came from constraint `origin[i]` of another.
fn translate(answer: Answer, origin: &[usize]) -> Answer {
    match answer {
        Answer::Unsat(core) => {
            let mut core: Vec<usize> = core.into_iter().map(|i| origin[i]).collect();
            core.sort_unstable();
            core.dedup();
            Answer::Unsat(core)
        }
        answer => answer,
    }
}
