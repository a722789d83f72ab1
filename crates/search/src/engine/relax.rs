//! Beyond the path of a run: what is wanted although the path contradicts it, and the way back.
//!
//! Seed 003 regenerates the path to a target by flipping conditions that stand in the way, one after the other
//! (`answers::remove_obstacles`). Where the conditions in the way count the rounds of loops (a length, a month, a number of fields), that takes
//! one flip for each round. So, departing from the seed, the question is also put *without* the conditions that contradict it:
//! those of loops first, with all rounds of each, then the others. An answer is an input that has the wanted property and whose run
//! goes another way somewhere: where it leaves the path that led to the question (a checksum over more bytes), it is made to go that
//! way, until it follows it or there is no such input.

use super::answers::{Asked, MAX_OBSTACLES};
use super::*;
use crate::path::Step;

/// Flips in a row that make a test case of another shape follow the run it comes from.
const MAX_REPAIRS: u32 = 4;
/// How often the same is asked for that way.
const MAX_TIMES: u32 = 6;
/// How often conditions are taken away for one question.
const MAX_RELAXED: usize = 6;

impl Engine<'_> {
    /// A test case for what is wanted, without the conditions that contradict it. `core`: their numbers in `asked.holds`.
    pub(super) fn relax(&mut self, ask: &Ask, asked: &Asked, core: Vec<usize>) -> Option<(TestCase, Origin)> {
        let depth = self.records[asked.record].depth + 1;
        if depth > MAX_OBSTACLES || !self.is_worth_leaving(ask) {
            return None;
        }
        let changes = self.answer_without(ask, asked, core)?;
        let test = inputs::with_changes(&self.records[asked.record].test, &changes);
        let origin = Origin::Relaxed { aim: self.aim_of(ask), depth };
        self.queue.is_new(&test).then_some((test, origin))
    }

    /// New code of the program, or what tells the versions apart; each not too often.
    fn is_worth_leaving(&mut self, ask: &Ask) -> bool {
        let goal = match ask {
            Ask::Joint(_, question) => question.goal,
            Ask::Flip(flip, key) => {
                let class = self.class_of(flip);
                let own = !self.guide.is_libc(flip.side, self.step(flip));
                if flip.aim.is_some() || !own || !matches!(class, Class::Alone | Class::NewWay) {
                    return false;
                }
                hash_of(key)
            }
        };
        let times = self.relaxed.entry(goal).or_default();
        *times += 1;
        *times <= MAX_TIMES
    }

    fn answer_without(&mut self, ask: &Ask, asked: &Asked, mut core: Vec<usize>) -> Option<inputs::Changes> {
        let loops = self.loops_of(ask, asked);
        let mut left: Vec<usize> = (0..asked.holds.len()).collect();
        for _ in 0..MAX_RELAXED {
            let rounds: HashSet<(u32, u32)> = core.iter().filter_map(|n| loops[*n]).collect();
            match rounds.is_empty() {
                true => left.retain(|n| !core.contains(n)),
                false => left.retain(|n| loops[*n].is_none_or(|site| !rounds.contains(&site))),
            }
            let holds: Vec<_> = left.iter().map(|n| asked.holds[*n]).collect();
            let time = self.settings.query_time / answers::IMPATIENCE;
            match self.put(ask, asked, &holds, time).answer {
                Answer::Sat(changes) => return Some(changes),
                Answer::Unsat(again) if !again.is_empty() => {
                    core = again.into_iter().map(|n| left[n]).collect();
                }
                // Nothing on the path is to blame, or nobody knows.
                Answer::Unsat(_) | Answer::Unknown => return None,
            }
        }
        None
    }

    /// For each condition of a question, the site and context that it shares with others of the same path, if it does.
    fn loops_of(&self, ask: &Ask, asked: &Asked) -> Vec<Option<(u32, u32)>> {
        let kept = self.kept(ask);
        let mut met: HashMap<(u32, u32), HashSet<u32>> = HashMap::new();
        for step in &kept {
            met.entry((step.site, step.context)).or_default().insert(step.count);
        }
        let place = |at: &usize| (kept[*at].site, kept[*at].context);
        asked.places.iter().map(|at| Some(place(at)).filter(|site| met[site].len() > 1)).collect()
    }

    /// What a question is asked for: itself, or what it is on the way to.
    pub(super) fn aim_of(&self, ask: &Ask) -> Rc<Aim> {
        match ask {
            Ask::Flip(Flip { aim: Some(aim), .. }, _) => aim.clone(),
            Ask::Flip(flip, key) => {
                let mut prefix = [0; 2];
                prefix[flip.side as usize] = flip.step;
                let step = self.step(flip);
                let wants = Some((flip.side, step.site, step.context, key.branch().2));
                Rc::new(Aim { record: flip.record, prefix, wants, patience: MAX_OBSTACLES })
            }
            Ask::Joint(record, question) => Rc::new(Aim {
                record: *record,
                prefix: question.prefix,
                wants: None,
                patience: MAX_OBSTACLES,
            }),
        }
    }

    /// What a run was to reach in the end. One of another shape that brought nothing new is to do at least what the run did that it comes
    /// from: lengths and checksums that do not fit its shape are put right that way.
    pub(super) fn aim_of_run(&self, origin: &Origin, record: usize) -> Option<Rc<Aim>> {
        match origin {
            Origin::Flip { flip, .. } => flip.aim.clone(),
            Origin::Relaxed { aim, .. } => Some(aim.clone()),
            Origin::Shape { of: Some(of), .. }
                if !self.records[record].brought.news && self.is_nearest(*of) =>
            {
                let prefix = [0, 1].map(|k| self.records[*of].paths[k].steps.len());
                Some(Rc::new(Aim { record: *of, prefix, wants: None, patience: MAX_REPAIRS }))
            }
            _ => None,
        }
    }

    /// Did no run come closer to the change?
    pub(super) fn is_nearest(&self, record: usize) -> bool {
        self.farther(self.records[record].brought.closest) == 0
    }

    /// Where a run first goes a way that the path to its aim never took, it shall go that path's way.
    pub(super) fn return_to(&mut self, aim: &Rc<Aim>, record: usize) {
        let depth = self.records[record].depth + 1;
        if depth > aim.patience {
            return;
        }
        let departure = [Side::Old, Side::New].into_iter().find_map(|side| {
            let (step, other) =
                departure(&self.ways_to(aim, side), &self.records[record].paths[side as usize].steps)?;
            Some((side, step, other))
        });
        let Some((side, step, other)) = departure else { return };
        let left_at = &self.records[record].paths[side as usize].steps[step];
        let key = FlipKey::new(side, left_at, other).towards(record as u64, left_at);
        let aim = Some(aim.clone());
        let flip = Flip { depth, aim, ..Flip::new(record, side, step, other) };
        self.queue.ask_first(flip, key);
    }

    /// The ways that the path to an aim takes at each of its sites, in one version.
    fn ways_to(&self, aim: &Aim, side: Side) -> HashMap<(u32, u32), HashSet<u64>> {
        // Nothing of a path that is forgotten.
        let path = &self.records[aim.record].paths[side as usize].steps;
        let path = path.get(..aim.prefix[side as usize]).unwrap_or_default();
        let mut ways: HashMap<(u32, u32), HashSet<u64>> = HashMap::new();
        for step in path {
            ways.entry((step.site, step.context)).or_default().insert(step.way);
        }
        if let Some((_, site, context, way)) = aim.wants.filter(|wants| wants.0 == side) {
            ways.entry((site, context)).or_default().insert(way);
        }
        ways
    }
}

/// The first condition that goes none of the ways known for its site, and which of its other ways is one of them.
fn departure(known: &HashMap<(u32, u32), HashSet<u64>>, steps: &[Step]) -> Option<(usize, usize)> {
    steps.iter().enumerate().find_map(|(number, step)| {
        let ways = known.get(&(step.site, step.context)).filter(|ways| !ways.contains(&step.way))?;
        Some((number, step.other_ways.iter().position(|way| ways.contains(way))?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::tests::branch;

    #[test]
    fn a_run_departs_where_it_goes_a_way_that_was_never_gone_there() {
        // A loop at site 1 goes round and ends; site 2 holds; site 3 is not on the way.
        let known = HashMap::from([((1, 0), HashSet::from([0, 1])), ((2, 0), HashSet::from([1]))]);
        let follows = [branch(1, false, 0), branch(3, true, 0), branch(2, true, 0)];
        assert_eq!(departure(&known, &follows), None);
        let leaves = [branch(1, true, 0), branch(3, false, 0), branch(2, false, 0)];
        assert_eq!(departure(&known, &leaves), Some((2, 0)));
    }
}
