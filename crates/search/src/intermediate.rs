//! Intermediate targets: what has to be executed first, so that a decision that looks at no input goes the way to a target.
//!
//! A target that no run executes is behind decisions that were met and never went the way that leads on. If such a decision looks at the input, it
//! is flipped. If it looks at a flag, a state or a pointer to a function, the places that define it are the next targets, and so on, as a stack (definition switching,
//! Marinescu and Cadar 2013, section 3.4). A place that was executed and did not help is to be executed again, in another way: there its own controlling decisions are what
//! is to be varied (the word that a parser recognises in a loop, the counter that it counts with).
//!
//! In: the plan, and which edges were taken. Out: intermediate targets, and which ways of which branches lead nearer to one.
//!
//! Always holds: bounded; deterministic; targets first, then what they wait for.

use crate::guide::Guide;
use crate::Side;
use parallax_plan::{Decision, Definition, Distance, Plan};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// Intermediate targets at a time.
const MAX_TARGETS: usize = 64;
/// Definitions of definitions that are followed.
const MAX_LEVEL: u32 = 10;
/// How many levels a definition counts of which it is not known what it gives.
const UNKNOWN: u32 = 2;
/// Decisions in the way of one target.
const MAX_GATES: usize = 4;
/// Targets of the change that are looked at.
const MAX_DESTINATIONS: usize = 16;

/// Targets are blocks of the new version.
const SIDE: Side = Side::New;

/// By block: how far it is.
type Distances = Rc<Vec<Distance>>;

/// Something to be executed.
pub struct Intermediate {
    pub block: u32,
    /// 0 for a target of the change; for its definitions 1 more.
    pub level: u32,
    distances: Distances,
}

/// A way of a branch that leads nearer to an intermediate target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lead {
    /// The target, by its block.
    pub to: u32,
    pub distance: u32,
    pub level: u32,
    /// By number among the ways of the branch.
    pub way: usize,
}

/// See the module.
#[derive(Default)]
pub struct Stack {
    pub targets: Vec<Intermediate>,
    /// By block that ends in a branch.
    leads: HashMap<u32, Vec<Lead>>,
    /// Distances do not change.
    known: HashMap<u32, Distances>,
}

impl Stack {
    /// Works it out anew. `taken`: the edges of the new version that any run took.
    pub fn update(&mut self, guide: &Guide, taken: &dyn Fn(u32) -> bool) {
        let executed = guide.executed(SIDE, taken);
        let mut work =
            Work { guide, taken, executed: &executed, seen: HashSet::new(), queue: VecDeque::new() };
        self.targets.clear();
        work.begin();
        while let Some((block, level)) = work.queue.pop_front() {
            if self.targets.len() >= MAX_TARGETS {
                break;
            }
            let distances = self.distances(guide.plan, block);
            if level < MAX_LEVEL {
                work.what_it_waits_for(block, level, &distances);
            }
            self.targets.push(Intermediate { block, level, distances });
        }
        self.find_leads(guide);
    }

    fn distances(&mut self, plan: &Plan, block: u32) -> Distances {
        let new = || Rc::new(plan.versions[SIDE].graph.distances(&[block]));
        self.known.entry(block).or_insert_with(new).clone()
    }

    fn find_leads(&mut self, guide: &Guide) {
        self.leads.clear();
        for (block, ways) in guide.branches(SIDE) {
            for target in &self.targets {
                let far = |to: u32| {
                    target.distances.get(to as usize).and_then(|d| d.branches()).unwrap_or(u32::MAX)
                };
                let nearest = ways.iter().map(|(_, to)| far(*to)).min().unwrap_or(u32::MAX);
                // All ways are as good, or as bad.
                if ways.iter().all(|(_, to)| far(*to) == nearest) {
                    continue;
                }
                for (way, _) in ways.iter().enumerate().filter(|(_, (_, to))| far(*to) == nearest) {
                    let lead = Lead { to: target.block, distance: nearest, level: target.level, way };
                    self.leads.entry(block).or_default().push(lead);
                }
            }
        }
    }

    /// Ways of the branch at the end of a block that lead nearer to something.
    pub fn leads(&self, block: u32) -> &[Lead] {
        self.leads.get(&block).map_or(&[], Vec::as_slice)
    }
}

struct Work<'w> {
    guide: &'w Guide<'w>,
    taken: &'w dyn Fn(u32) -> bool,
    executed: &'w [bool],
    seen: HashSet<u32>,
    queue: VecDeque<(u32, u32)>,
}

/// A decision, and the way that it is to go.
struct Gate<'w> {
    distance: u32,
    block: u32,
    edge: Option<u32>,
    to: u32,
    decision: Option<&'w Decision>,
}

impl<'w> Work<'w> {
    fn begin(&mut self) {
        let plan = &self.guide.plan.versions[SIDE];
        let all = plan.destinations.iter().filter(|d| d.block.is_some());
        let waiting = all.clone().filter(|d| !d.is_executed(self.taken));
        let first: Vec<u32> = waiting.filter_map(|d| d.block).take(MAX_DESTINATIONS).collect();
        first.into_iter().for_each(|block| self.want(block, 0));
        // What was executed may depend on what it chooses between.
        let chosen = all.filter(|d| d.is_executed(self.taken)).filter_map(|d| plan.choices.get(&d.block?));
        let chosen: Vec<&Definition> = chosen.take(MAX_DESTINATIONS).flatten().collect();
        for definition in chosen {
            self.want_definition(definition, 1);
        }
    }

    fn want(&mut self, block: u32, level: u32) {
        if self.seen.insert(block) {
            self.queue.push_back((block, level));
        }
    }

    fn want_definition(&mut self, definition: &Definition, level: u32) {
        self.want(definition.block, level);
        definition.store.into_iter().for_each(|store| self.want(store, level));
    }

    fn what_it_waits_for(&mut self, block: u32, level: u32, distances: &[Distance]) {
        for gate in self.gates(block, distances) {
            let Some(decision) = gate.decision else { continue };
            let way = decision.ways.iter().find(|way| match gate.edge {
                Some(edge) => way.edge == Some(edge),
                None => way.to == gate.to,
            });
            let satisfying = way.map_or(&[][..], |way| &way.by);
            satisfying.iter().for_each(|definition| self.want_definition(definition, level + 1));
            decision.unknown.iter().for_each(|definition| self.want_definition(definition, level + UNKNOWN));
        }
    }

    /// Decisions that were met and decide whether a block is executed: the nearest that never went its way, or, of one that was executed, those that directly lead there.
    fn gates(&self, block: u32, distances: &[Distance]) -> Vec<Gate<'w>> {
        let far = |to: u32| distances.get(to as usize).and_then(|d| d.branches());
        let was_executed = |block: u32| self.executed.get(block as usize).copied().unwrap_or(false);
        let decisions: &'w BTreeMap<u32, Decision> = &self.guide.plan.versions[SIDE].decisions;
        let mut gates = Vec::new();
        for (at, ways) in self.guide.branches(SIDE).filter(|(at, _)| was_executed(*at)) {
            for (edge, to) in ways {
                let Some(distance) = far(*to) else { continue };
                let wanted = match was_executed(block) {
                    false => !(self.taken)(*edge),
                    true => distance == 0 && ways.iter().any(|(_, other)| far(*other) != Some(0)),
                };
                if wanted {
                    gates.push(Gate {
                        distance,
                        block: at,
                        edge: Some(*edge),
                        to: *to,
                        decision: decisions.get(&at),
                    });
                }
            }
        }
        for (at, decision) in decisions.iter().filter(|(at, _)| was_executed(**at)) {
            let calls = decision.ways.iter().filter(|way| way.edge.is_none() && !was_executed(way.to));
            for (way, distance) in calls.filter_map(|way| Some((way, far(way.to)?))) {
                gates.push(Gate { distance, block: *at, edge: None, to: way.to, decision: Some(decision) });
            }
        }
        gates.sort_by_key(|gate| (gate.distance, gate.block, gate.to));
        gates.truncate(MAX_GATES);
        gates
    }
}
