//! What several tests of layers share.

use parallax_solve::random::Random;
use parallax_solve::*;

/// Bytes that random queries are made of.
pub fn vars(count: u32) -> Vec<Var> {
    (0..count).map(|offset| Var { input: 0, offset }).collect()
}

/// Some random constraints over these bytes, none wider than `width`.
pub fn random_constraints(
    pool: &mut Pool,
    rng: &mut fastrand::Rng,
    bytes: u32,
    width: u8,
) -> Vec<Constraint> {
    let mut below = |n: u64| rng.u64(..n);
    let mut random = Random::new(&mut below, vars(bytes)).up_to(width);
    let count = 1 + random.below(4);
    (0..count)
        .map(|_| {
            let expr = random.expr(pool, 1, 3);
            Constraint { expr, holds: random.below(2) == 1 }
        })
        .collect()
}
