//! Points-to analysis and reaching definitions against the objects that loads and stores really touched.

use super::calls::place;
use super::definitions::Writers;
use super::tally::{Claim, Tally};
use parallax_model::points_to::{accessed, ObjectKind as Abstract, Place, PointsTo};
use parallax_model::reaching::Reaching;
use parallax_model::{FuncId, GlobalId, InstId, Program};
use parallax_trace::dependence::{At, Event, Memory, ObjectKind as Seen};
use std::collections::{HashMap, HashSet};

pub struct Pointers<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    memory: Memory,
    writers: Writers<'p>,
    places: HashMap<u32, Vec<Place>>,
    /// Instruction, object and offset of what was tested already: most accesses of a loop are the same.
    tested: HashSet<(u32, Abstract, i64)>,
}

impl<'p> Pointers<'p> {
    pub fn new(program: &'p Program, points_to: &'p PointsTo, reaching: Reaching<'p>) -> Pointers<'p> {
        let (memory, places, tested) = (Memory::default(), HashMap::new(), HashSet::new());
        let writers = Writers::new(program, reaching);
        Pointers { program, points_to, memory, writers, places, tested }
    }

    /// A new run: other addresses.
    pub fn begin(&mut self) {
        self.memory = Memory::default();
    }

    pub fn event(&mut self, at: At, event: &Event, tally: &mut Tally) {
        if let Event::Load { at, address, bytes } | Event::Store { at, address, bytes } = *event {
            self.access(at, address, bytes, tally);
        }
        if let Event::Load { at, address, bytes } = *event {
            if accessed(self.program, InstId(at)).is_some() {
                self.writers.load(at, address, bytes, &mut self.memory, tally);
            }
        }
        self.memory.event(at, event);
    }

    fn access(&mut self, at: u32, address: u64, bytes: u64, tally: &mut Tally) {
        let number = self.memory.object(address);
        let object = self.memory.describe(number);
        let Some(seen) = abstracted(&object.kind) else { return };
        let offset = address.wrapping_sub(object.address) as i64;
        // What touches memory but is neither load nor store (a struct passed by value) has no places.
        let direct = accessed(self.program, InstId(at)).is_some();
        if !direct || !self.tested.insert((at, seen, offset)) {
            return;
        }
        let (program, points_to) = (self.program, self.points_to);
        let places = self.places.entry(at).or_insert_with(|| points_to.places(program, InstId(at)));
        let same = |p: &&Place| matches(p.object, seen);
        let failure =
            || format!("{} touches {seen:?} at {offset}; allowed {places:?}", place(program, InstId(at)));
        tally.check(Claim::Object, places.iter().any(|p| same(&p)), failure);
        if places.iter().any(|p| same(&p)) {
            let inside = |p: &Place| p.start <= offset && offset.saturating_add(bytes as i64) <= p.end;
            let step = |p: &Place| {
                p.stride == 0 || p.start == i64::MIN || (offset - p.start) % i64::from(p.stride) == 0
            };
            let found =
                places.iter().filter(same).any(|p| p.object == Abstract::Unknown || (inside(p) && step(p)));
            tally.check(Claim::Field, found, failure);
        }
    }
}

/// The abstract object that a real one belongs to; none where the trace does not know the object.
fn abstracted(kind: &Seen) -> Option<Abstract> {
    Some(match kind {
        Seen::None => return None,
        Seen::Global(g) => Abstract::Global(GlobalId(*g)),
        Seen::Stack(at) => Abstract::Stack(InstId(*at)),
        Seen::Heap(calls) => Abstract::Heap { site: InstId(*calls.last()?), context: None },
        Seen::Argument(function, index) => Abstract::ByVal { func: FuncId(*function), index: *index },
        Seen::Given => Abstract::Arguments,
    })
}

/// Contexts of heap objects are a refinement; arguments and environment are told of alike.
fn matches(model: Abstract, seen: Abstract) -> bool {
    match (model, seen) {
        (Abstract::Unknown, _) => true,
        (Abstract::Heap { site: a, .. }, Abstract::Heap { site: b, .. }) => a == b,
        (Abstract::Environment, Abstract::Arguments) => true,
        (a, b) => a == b,
    }
}
