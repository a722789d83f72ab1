//! Table reads as choices by single bits, for solvers that know no tables.
//!
//! In: a function from an index to a value, and how a solver chooses between two of its terms. Out: a term.
//!
//! Always holds: equal halves are one, so the term has no more choices than the function has different parts.

/// The value of `leaf` at the number that the bits are, lowest bit first.
pub fn lookup<T: Clone + PartialEq>(
    bits: usize,
    leaf: &mut dyn FnMut(u64) -> T,
    choose: &mut dyn FnMut(usize, T, T) -> T,
) -> T {
    let mut terms: Vec<T> = (0..1u64 << bits).map(leaf).collect();
    for bit in 0..bits {
        let pairs = terms.chunks_exact(2);
        terms = pairs
            .map(|pair| match pair[0] == pair[1] {
                true => pair[0].clone(),
                false => choose(bit, pair[1].clone(), pair[0].clone()),
            })
            .collect();
    }
    // Half as many each time: one is left.
    terms.swap_remove(0)
}

/// Bits that an index into a table of this length needs.
pub fn index_bits(len: usize) -> usize {
    len.max(1).next_power_of_two().trailing_zeros() as usize
}
