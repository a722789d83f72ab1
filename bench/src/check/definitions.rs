//! Reaching definitions against the instructions that really wrote last what a load read.

use super::calls::place;
use super::tally::{Claim, Tally};
use parallax_model::reaching::{Definitions, Reaching};
use parallax_model::{InstId, Program};
use parallax_trace::dependence::{Memory, ObjectKind};
use std::collections::{HashMap, HashSet};

pub struct Writers<'p> {
    program: &'p Program,
    reaching: Reaching<'p>,
    definitions: HashMap<u32, Definitions>,
    /// Reader and writer of what was tested already.
    tested: HashSet<(u32, u32)>,
}

impl<'p> Writers<'p> {
    pub fn new(program: &'p Program, reaching: Reaching<'p>) -> Writers<'p> {
        Writers { program, reaching, definitions: HashMap::new(), tested: HashSet::new() }
    }

    /// A load of `bytes` at `address`; `memory` is as it was before.
    pub fn load(&mut self, at: u32, address: u64, bytes: u64, memory: &mut Memory, tally: &mut Tally) {
        let number = memory.object(address);
        // A structure passed by value is copied by the machine, not by an instruction that could be named.
        let made_by = match &memory.describe(number).kind {
            ObjectKind::Argument(..) => return,
            // What an allocation itself puts into a block (zeros, the old content) is its content at birth.
            ObjectKind::Heap(calls) => calls.last().copied(),
            _ => None,
        };
        let mut found = Vec::new();
        memory.writers(address, bytes, |write, _| found.push(write));
        for write in found {
            if write.number != 0 && Some(write.at) != made_by && self.tested.insert((at, write.at)) {
                self.test(at, write.at, tally);
            }
        }
    }

    fn test(&mut self, reader: u32, writer: u32, tally: &mut Tally) {
        let (program, reaching) = (self.program, &mut self.reaching);
        let known = self.definitions.entry(reader).or_insert_with(|| reaching.definitions(InstId(reader)));
        tally.check(Claim::Writer, known.writers.contains(&InstId(writer)), || {
            let (reader, writer) = (place(program, InstId(reader)), place(program, InstId(writer)));
            format!("{reader} reads what {writer} wrote; allowed {:?}", known.writers)
        });
    }
}
