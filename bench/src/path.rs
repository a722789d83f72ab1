//! The path of a run, to be compared with that of another.
//!
//! In: a trace. Out: its branches, switches and guards with their directions, edge counters, and the shape of its
//! outputs. Bytes printed are not part of it.

use crate::losses::place;
use parallax_trace::format::*;
use parallax_trace::sites::ProgramMap;
use parallax_trace::{Event, Trace};

/// One decision: kind, site, direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    kind: u8,
    site: u32,
    direction: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    steps: Vec<Step>,
    /// Descriptor, whether it is a file, and length of every output.
    outputs: Vec<(u32, bool, usize)>,
    edges: Vec<u8>,
}

impl Path {
    pub fn of(trace: &Trace, map: &ProgramMap) -> Path {
        let mut path = Path { steps: Vec::new(), outputs: Vec::new(), edges: Vec::new() };
        for event in trace.events() {
            path.steps.extend(
                match event {
                    Event::Branch { site, taken, .. } => Some((KIND_BRANCH, site, u32::from(taken))),
                    Event::Guard { site, held, .. } => Some((KIND_GUARD, site, u32::from(held))),
                    Event::Switch { site, case, .. } => Some((KIND_SWITCH, site, case.unwrap_or(u32::MAX))),
                    _ => None,
                }
                .map(|(kind, site, direction)| Step { kind, site, direction }),
            );
            if let Event::Output { fd, file, bytes, .. } = event {
                path.outputs.push((fd, file, bytes.len()));
            }
        }
        path.edges = trace.coverage()[..map.edges.len().min(trace.coverage().len())].to_vec();
        path
    }

    /// Where another path leaves this one, in words.
    pub fn difference(&self, other: &Path, map: &ProgramMap) -> Option<String> {
        let at = self.steps.iter().zip(&other.steps).take_while(|(a, b)| a == b).count();
        if at < self.steps.len() || at < other.steps.len() {
            let name = |p: &Path| p.steps.get(at).map_or("the end".into(), |s| s.describe(map));
            return Some(format!("step {at}: {} against {}", name(self), name(other)));
        }
        if let Some(edge) = (0..self.edges.len()).find(|e| self.edges.get(*e) != other.edges.get(*e)) {
            let (from, to) = (map.edges[edge].from, map.edges[edge].to);
            let block = |b: u32| {
                let info = &map.blocks[b as usize];
                format!("{}:{}", map.functions[info.function as usize].name, info.line)
            };
            let counts = (self.edges[edge], other.edges.get(edge));
            return Some(format!("edge {} to {} taken {counts:?} times", block(from), block(to)));
        }
        (self.outputs != other.outputs)
            .then(|| format!("outputs {:?} against {:?}", self.outputs, other.outputs))
    }
}

impl Step {
    fn describe(&self, map: &ProgramMap) -> String {
        let kind = match self.kind {
            KIND_BRANCH => "branch",
            KIND_GUARD => "guard",
            _ => "switch",
        };
        format!("{kind} {} -> {}", place(map, self.site), self.direction as i32)
    }
}
