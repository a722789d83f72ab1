//! What is known of a pair of paths: one partition, or two.
//!
//! In: the trails of both versions on one input. Out: partitions, told to whoever watches.
//!
//! If the outputs can be the same on some inputs of the pair and differ on others, it is split in two. A part that is called different has a
//! witness on which the native versions differ; one that is called equal was shown to be so, and its witness and a sample of its members were
//! run natively. Whatever contradicts that makes it weak, and is counted.

use crate::certificate;
use crate::count::Count;
use crate::differ;
use crate::explore::{outputs, Explorer, Placed};
use crate::partition::{Entry, Kept, Part, Partition, Status};
use crate::prover::Proof;
use crate::sample;
use crate::trail::Trail;
use crate::tree::NodeId;
use parallax_execute::TestCase;
use parallax_search::{HarnessError, Pair, Verdict};
use parallax_solve::{eval, ExprId};
use std::collections::BTreeSet;

/// A pair of paths.
struct Leaf<'l> {
    id: NodeId,
    trails: Pair<&'l Trail>,
    lines: Vec<String>,
    /// The conditions of both paths, and what holds for every input of the shape.
    holds: Vec<ExprId>,
    /// True where the outputs differ.
    differs: ExprId,
    doubts: BTreeSet<String>,
}

/// One part of it before it is told.
struct Draft {
    part: Part,
    status: Status,
    witness: TestCase,
    weak: BTreeSet<String>,
    ran: usize,
}

impl Draft {
    fn new(part: Part, witness: TestCase) -> Draft {
        Draft { part, status: Status::Weak, witness, weak: BTreeSet::new(), ran: 0 }
    }

    fn weak(mut self, why: impl Into<String>) -> Draft {
        self.status = Status::Weak;
        self.weak.insert(why.into());
        self
    }
}

impl Explorer<'_, '_> {
    /// Classifies a leaf, or takes what is known of it from an earlier exploration.
    pub(crate) fn settle(
        &mut self,
        id: NodeId,
        test: TestCase,
        trails: Pair<&Trail>,
        lines: Vec<String>,
        known: Option<Vec<Kept>>,
    ) -> Result<(), HarnessError> {
        let steps = trails.old.steps.iter().chain(&trails.new.steps).map(|step| step.holds);
        let mut seen = BTreeSet::new();
        let holds = self.domain.iter().copied().chain(steps).filter(|e| seen.insert(*e)).collect();
        let differs = differ::differ(trails.old, trails.new, &mut self.pool);
        let doubts = trails.old.doubts.union(&trails.new.doubts).cloned().collect();
        let leaf = Leaf { id, trails, lines, holds, differs, doubts };
        let kept = match known {
            Some(known) => {
                // The differences of a partition are in the result of this run, too.
                for kept in known.iter().filter(|kept| kept.status == Status::Different) {
                    let witness = self.witness(&test, kept);
                    self.tools.bench.judge(&witness)?;
                }
                known
            }
            None => {
                let drafts = self.drafts(&leaf, test.clone())?;
                let mut kept = Vec::new();
                for draft in drafts {
                    kept.push(self.checked(&leaf, draft)?);
                }
                if self.is_over() {
                    // What the end of the time made weak is to be looked at again.
                    self.explored.open += 1;
                    return Ok(());
                }
                kept
            }
        };
        self.keep(Entry::Leaf { shape: self.shape.clone(), partitions: kept.clone() });
        for kept in kept {
            let witness = self.witness(&test, &kept);
            self.tell(&leaf, kept, witness);
        }
        Ok(())
    }

    fn witness(&self, test: &TestCase, kept: &Kept) -> TestCase {
        let mut witness = test.clone();
        for ((source, offset), value) in self.bytes.iter().zip(&kept.bytes) {
            crate::shape::set_byte(&mut witness, source, *offset, *value);
        }
        witness
    }

    /// The parts of a leaf, as far as the expressions say.
    fn drafts(&mut self, leaf: &Leaf, test: TestCase) -> Result<Vec<Draft>, HarnessError> {
        if !leaf.doubts.is_empty() {
            return Ok(vec![Draft { weak: leaf.doubts.clone(), ..Draft::new(Part::All, test) }]);
        }
        let draft = |part, status, witness| Draft { status, ..Draft::new(part, witness) };
        match self.pool.as_const(leaf.differs) {
            Some(0) => return Ok(vec![draft(Part::All, Status::Equal, test)]),
            Some(_) => return Ok(vec![draft(Part::All, Status::Different, test)]),
            None => {}
        }
        let here = eval(&self.pool, leaf.differs, &self.names.bytes(&self.pool, &test)) & 1 == 1;
        let other = match here {
            false => {
                let all = [&leaf.holds[..], &[leaf.differs]].concat();
                self.tools.prover.ask(&self.pool, &self.names, &test, &all, &[])
            }
            true => self.tools.prover.ask(&self.pool, &self.names, &test, &leaf.holds, &[leaf.differs]),
        };
        let (part, status) =
            if here { (Part::Differing, Status::Different) } else { (Part::Same, Status::Equal) };
        let (other_part, other_status) =
            if here { (Part::Same, Status::Equal) } else { (Part::Differing, Status::Different) };
        Ok(match other {
            Proof::Never => vec![draft(Part::All, status, test)],
            Proof::Holds(witness) => {
                vec![draft(part, status, test), draft(other_part, other_status, *witness)]
            }
            Proof::Unknown(why) => {
                let first = draft(part, status, test.clone());
                let why = format!(
                    "whether the outputs {} is not known: {why}",
                    if here { "can be the same" } else { "can differ" }
                );
                // The witness of the first part is not one of the second: nothing is claimed of it but that it is there.
                vec![first, Draft::new(other_part, test).weak(why)]
            }
        })
    }

    /// What the native versions say to a draft.
    fn checked(&mut self, leaf: &Leaf, mut draft: Draft) -> Result<Kept, HarnessError> {
        let verdict = self.tools.bench.judge(&draft.witness)?;
        draft.ran = 1;
        draft = match (draft.status, verdict) {
            (_, Verdict::Unusable { reason }) => {
                draft.weak(format!("its witness could not be compared: {reason}"))
            }
            (Status::Different, Verdict::Same) => {
                draft.weak("the outputs of the symbolic builds differ; those of the native versions did not")
            }
            (Status::Equal, Verdict::Different { .. }) => {
                draft.weak("shown to be equal, but the native versions differ on its witness")
            }
            _ => draft,
        };
        let holds = self.members(leaf, draft.part);
        if draft.status == Status::Equal {
            draft = self.sampled(&holds, draft)?;
        }
        let count = match draft.status {
            Status::Weak
                if draft.part != Part::All && draft.weak.iter().any(|why| why.contains("is not known")) =>
            {
                // It may have no input at all.
                Count { low: 0.0, inputs: None, ..self.count(&holds) }
            }
            _ => self.count(&holds),
        };
        let bytes = self.bytes_of(&draft.witness);
        Ok(Kept { status: draft.status, part: draft.part, bytes, weak: draft.weak, count, ran: draft.ran })
    }

    /// Members of an equal partition, run natively.
    fn sampled(&mut self, holds: &[ExprId], mut draft: Draft) -> Result<Draft, HarnessError> {
        let wanted = self.tools.settings.samples;
        let at = (self.shape, &draft.witness);
        let members = sample::members(&self.pool, &self.names, holds, at, wanted, self.tools.random);
        for member in members {
            draft.ran += 1;
            if let Verdict::Different { .. } = self.tools.bench.judge(&member)? {
                return Ok(draft.weak("shown to be equal, but the native versions differ on a member"));
            }
        }
        Ok(draft)
    }

    /// The conditions of a part.
    fn members(&mut self, leaf: &Leaf, part: Part) -> Vec<ExprId> {
        let mut holds = leaf.holds.clone();
        match part {
            Part::All => {}
            Part::Same => holds.push(self.pool.not(leaf.differs)),
            Part::Differing => holds.push(leaf.differs),
        }
        holds
    }

    fn tell(&mut self, leaf: &Leaf, kept: Kept, witness: TestCase) {
        let holds = self.members(leaf, kept.part);
        let what = format!("a partition of the inputs; on it the versions are {:?}", kept.status);
        let script = |holds: &[ExprId], satisfiable, what: &str| {
            certificate::script(&self.pool, &self.names, &witness, holds, satisfiable, what)
        };
        let formula = script(&holds, true, &what);
        let is_constant = self.pool.as_const(leaf.differs).is_some();
        let certificate =
            (kept.status == Status::Equal && kept.part == Part::All && !is_constant).then(|| {
                script(
                    &[&holds[..], &[leaf.differs]].concat(),
                    false,
                    "no input of the partition makes the outputs differ",
                )
            });
        let partition = Partition {
            outputs: outputs(&leaf.trails, &self.pool, &self.names),
            shape: self.shape.clone(),
            witness,
            formula,
            certificate,
            conditions: holds.len() - self.domain.len(),
            pins: leaf.trails.old.pins + leaf.trails.new.pins,
            lines: leaf.lines.clone(),
            kept,
        };
        let own = self.own_conditions(&leaf.trails);
        self.place(Placed { leaf: leaf.id, holds, differs: leaf.differs, own, partition });
    }
}
