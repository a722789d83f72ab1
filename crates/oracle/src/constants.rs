//! What the versions print differently on every input, although no text of theirs differs: a number of a version, a size.
//!
//! In: runs of both versions on inputs that are not the same. Out: the pieces of output that differ in the same way on all of them, each
//! with its place and what stands around it ([`Constants`]).
//!
//! Always holds: a piece is only known at the place, and between the bytes, that it had on all of the inputs; another difference in the same
//! line, or the same one in another line, is not it.

/// Inputs on which a piece must differ in the same way. With fewer, what depends on the input looks like a constant.
const LEAST_INPUTS: usize = 3;

/// Where a piece of output stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub stream: Stream,
    /// Number of its line, from the first one and from the last one.
    pub from_start: usize,
    pub from_end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// A piece of what the old version printed, and what the new one has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Not known for pieces that are cut out of a trace.
    pub place: Option<Place>,
    /// The rest of the line, or of the lines, in the old version.
    pub before: Vec<u8>,
    pub after: Vec<u8>,
    pub old: Vec<u8>,
    pub new: Vec<u8>,
}

/// A piece that differs on every input.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Constant {
    stream: Stream,
    from_start: Option<usize>,
    from_end: Option<usize>,
    before: Vec<u8>,
    after: Vec<u8>,
    old: Vec<u8>,
    new: Vec<u8>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Constants(Vec<Constant>);

impl Constants {
    /// `inputs`: what differs on each of them. Inputs on which nothing does say nothing: the program may have refused them.
    pub fn learn(inputs: &[Vec<Spot>]) -> Constants {
        let differing: Vec<&Vec<Spot>> = inputs.iter().filter(|spots| !spots.is_empty()).collect();
        let Some((first, others)) = differing.split_first() else { return Constants::default() };
        if differing.len() < LEAST_INPUTS {
            return Constants::default();
        }
        let everywhere = |spot: &Spot| {
            others.iter().try_fold(Constant::of(spot)?, |constant, spots| {
                spots.iter().find_map(|spot| constant.narrowed(spot))
            })
        };
        Constants(first.iter().filter_map(everywhere).collect())
    }

    pub fn has(&self, spot: &Spot) -> bool {
        self.0.iter().any(|constant| constant.is(spot))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Constant {
    fn of(spot: &Spot) -> Option<Constant> {
        let Place { stream, from_start, from_end } = spot.place?;
        let Spot { before, after, old, new, .. } = spot.clone();
        Some(Constant {
            stream,
            from_start: Some(from_start),
            from_end: Some(from_end),
            before,
            after,
            old,
            new,
        })
    }

    /// What it has in common with the same piece of another input, if it is the same piece.
    fn narrowed(&self, spot: &Spot) -> Option<Constant> {
        let place = spot.place?;
        let from_start = self.from_start.filter(|line| *line == place.from_start);
        let from_end = self.from_end.filter(|line| *line == place.from_end);
        let same = (self.stream, &self.old, &self.new) == (place.stream, &spot.old, &spot.new);
        (same && (from_start.is_some() || from_end.is_some())).then(|| Constant {
            from_start,
            from_end,
            before: common_end(&self.before, &spot.before).to_vec(),
            after: common_start(&self.after, &spot.after).to_vec(),
            ..self.clone()
        })
    }

    fn is(&self, spot: &Spot) -> bool {
        let placed = spot.place.is_none_or(|place| {
            let agrees = |line: Option<usize>, there: usize| line.is_none_or(|line| line == there);
            self.stream == place.stream
                && agrees(self.from_start, place.from_start)
                && agrees(self.from_end, place.from_end)
        });
        // A trace may have cut the line at any place.
        let cut = spot.place.is_none();
        let before = spot.before.ends_with(&self.before) || cut && self.before.ends_with(&spot.before);
        let after = spot.after.starts_with(&self.after) || cut && self.after.starts_with(&spot.after);
        placed && before && after && (&self.old, &self.new) == (&spot.old, &spot.new)
    }
}

fn common_start<'t>(a: &'t [u8], b: &[u8]) -> &'t [u8] {
    &a[..a.iter().zip(b).take_while(|(x, y)| x == y).count()]
}

fn common_end<'t>(a: &'t [u8], b: &[u8]) -> &'t [u8] {
    &a[a.len() - a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(line: usize, of: usize, before: &str, old: &str, new: &str, after: &str) -> Spot {
        let place = Place { stream: Stream::Stdout, from_start: line, from_end: of - 1 - line };
        let [before, after, old, new] = [before, after, old, new].map(|text| text.as_bytes().to_vec());
        Spot { place: Some(place), before, after, old, new }
    }

    /// The number of a version in the first line, beside a name that the input decides.
    fn learned() -> Constants {
        Constants::learn(&[
            vec![spot(0, 2, "tool ", "7", "8", ": a\n"), spot(1, 2, "", "x", "y", "\n")],
            vec![spot(0, 3, "tool ", "7", "8", ": b\n")],
            vec![],
            vec![spot(0, 2, "tool ", "7", "8", ": a\n")],
        ])
    }

    #[test]
    fn a_piece_that_differs_alike_on_all_inputs_is_known_and_one_that_does_not_is_not() {
        let constants = learned();
        assert!(constants.has(&spot(0, 9, "tool ", "7", "8", ": c\n")));
        assert!(!constants.has(&spot(1, 2, "", "x", "y", "\n")));
    }

    #[test]
    fn the_same_piece_elsewhere_or_another_one_in_its_place_is_not_it() {
        let constants = learned();
        assert!(!constants.has(&spot(1, 9, "tool ", "7", "8", ": c\n")), "another line");
        assert!(!constants.has(&spot(0, 9, "sum ", "7", "8", ": c\n")), "other words before it");
        assert!(!constants.has(&spot(0, 9, "tool ", "7", "9", ": c\n")), "another number");
    }

    #[test]
    fn a_piece_of_a_trace_may_lack_the_rest_of_its_line() {
        let piece = Spot { place: None, ..spot(0, 1, "ol ", "7", "8", "") };
        assert!(learned().has(&piece));
        assert!(!learned().has(&Spot { before: b"sum ".to_vec(), ..piece }));
    }

    #[test]
    fn too_few_inputs_teach_nothing() {
        let one = vec![spot(0, 1, "", "7", "8", "")];
        assert!(Constants::learn(&[one.clone(), one]).is_empty());
    }
}
