//! Where pointers end up when bytes are copied.
//!
//! In: the start of a copy, a cell in which something is stored, and how many bytes go where. Out: the cells in which it is found
//! afterwards. Always holds: every place among the copied bytes is brought along, as long as a copy from inside an array stays in the array.

use super::cells::{Cell, CellId, Cells, Walk, UNBOUNDED};
use super::solver::{derive, Step};

/// The cells that what is stored at `inside` is copied to, when bytes from `source` on go to `to`.
pub(super) fn copied_to(
    cells: &mut Cells,
    source: &Cell,
    inside: &Cell,
    to: CellId,
    len: Option<u64>,
) -> Vec<CellId> {
    let copied = match source.is_anywhere() || inside.is_anywhere() {
        true => Copied::Anywhere,
        false => relative(source, inside, len),
    };
    match copied {
        Copied::Nowhere => Vec::new(),
        Copied::Anywhere => vec![cells.anywhere(cells.get(to).object)],
        Copied::At(steps) => derive(cells, to, &steps),
    }
}

/// Where something in a copied run of bytes ends up.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Copied {
    /// It is not among the bytes.
    Nowhere,
    /// These steps from the start of the copy.
    At(Vec<Step>),
    Anywhere,
}

/// Where what is stored at `inside` ends up when `len` bytes from `source` on are copied.
fn relative(source: &Cell, inside: &Cell, len: Option<u64>) -> Copied {
    // What lies outside the array can be copied only together with the structure that the array begins.
    let array = source.outer;
    let apart = inside.offset >= array.end || inside.end(1) <= i64::from(array.start);
    if array.stride == 0 || apart {
        return relative_to_one(source.offset, inside, len);
    }
    let stride = array.stride;
    let fits = inside.outer.stride % stride == 0
        && inside.offset >= array.start
        && (inside.outer.stride == 0 || inside.outer.end <= array.end);
    if source.inner.stride != 0 || !fits {
        return Copied::Anywhere;
    }
    // The copy starts at some element, so only the place in an element counts.
    let at = (i64::from(inside.offset) - i64::from(source.offset)).rem_euclid(i64::from(stride));
    if len.is_some_and(|l| at as u64 >= l) {
        return Copied::Nowhere;
    }
    let mut steps = Vec::new();
    if len.is_none_or(|l| l > u64::from(stride)) {
        steps.push(Step::Walk(Walk { stride, extent: None, forward: true }));
    }
    steps.push(Step::Shift(at));
    steps.extend(inner_walk(inside));
    Copied::At(steps)
}

/// As [`relative`], from one offset on.
fn relative_to_one(start: i32, inside: &Cell, len: Option<u64>) -> Copied {
    let mut at = i64::from(inside.offset) - i64::from(start);
    if at < 0 {
        if inside.outer.stride == 0 || inside.end(1) <= i64::from(start) {
            return Copied::Nowhere;
        }
        if inside.inner.stride != 0 {
            return Copied::Anywhere;
        }
        // The first of its places that is among the bytes.
        at = at.rem_euclid(i64::from(inside.outer.stride));
    }
    if len.is_some_and(|l| at as u64 >= l) {
        return Copied::Nowhere;
    }
    let mut steps = vec![Step::Shift(at)];
    if inside.outer.stride != 0 {
        let left = i64::from(inside.outer.end) - i64::from(start) - at;
        let extent = (inside.outer.end != UNBOUNDED).then_some(left.max(0) as u32);
        steps.push(Step::Walk(Walk { stride: inside.outer.stride, extent, forward: true }));
    }
    steps.extend(inner_walk(inside));
    Copied::At(steps)
}

fn inner_walk(inside: &Cell) -> Option<Step> {
    let span = inside.inner;
    let extent = Some((span.end - inside.offset).max(0) as u32);
    (span.stride != 0).then_some(Step::Walk(Walk { stride: span.stride, extent, forward: true }))
}
