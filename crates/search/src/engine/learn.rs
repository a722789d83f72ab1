//! What a run brings: what it executed that none before did, how close it came to the change, whether the versions went
//! different ways, and what is to be tried because of that.

use super::*;
use crate::mutate::Token;
use crate::path::{is_condition, Step};
use crate::words::Compared;

/// Test cases that came as close to the change as any that are kept.
const MAX_NEARBY: usize = 64;
/// So many ways of a site in different calling contexts are worth a look each.
const NEW_CONTEXTS: u32 = 12;
/// The versions part seldom at a place if they did on so many runs at most.
const RARE: u32 = 8;
/// With how many others a test case is crossed that executed something for the first time.
const CROSSED: usize = 4;
/// The same for test cases that execute the change.
const CROSSED_REACHING: usize = 2;
/// Test cases in which every new word is tried.
const MAX_PLAIN: usize = 8;
/// Changes of shape in a row.
const MAX_GENERATION: u32 = 6;

/// What a run brought.
pub(super) struct Brought {
    /// Coverage that no run before had, or it came closer to the change.
    pub news: bool,
    /// It was the first to execute some code of the program.
    pub first: bool,
    /// Where the versions went different ways, if they were made to, here or on the run this one comes from, or if they
    /// seldom do there. What is left is to make it visible, so the flips behind this place are asked although they were asked elsewhere.
    pub parted: Option<[usize; 2]>,
    /// It executed the change, and took a set of ways that no other did that executed it.
    pub through: bool,
    /// The versions did some unchanged code differently often where they never had.
    pub infects: bool,
    /// How close it came to changed code, in each version; see [`Guide::closest`].
    pub closest: [u32; 2],
}

impl Brought {
    pub fn reaches(&self) -> bool {
        self.closest.contains(&0)
    }

    /// Its changes of shape need not wait for those of others.
    pub fn is_near(&self) -> bool {
        self.through || self.infects || self.parted.is_some()
    }

    fn is_something(&self) -> bool {
        self.news || self.is_near()
    }
}

impl Engine<'_> {
    /// A random test case that did something new is run again, and looked at.
    pub(super) fn glance(&mut self, test: TestCase, both: &[Glimpse; 2]) {
        let (mut new, mut first) = (false, false);
        for (k, side) in [Side::Old, Side::New].into_iter().enumerate() {
            for (edge, count) in both[k].taken.iter().copied() {
                first |= self.is_new_edge(side, edge) && !has_edge(&self.glimpsed[k], edge);
                let way = roughly((edge, count));
                new |= !self.edges[k].contains(&way) && self.glimpsed[k].insert(way);
            }
            first |= self.guide.closest(side, both[k].taken.iter().copied()) < self.nearest[k];
        }
        let infects = self.note_favourite(&test, [&both[0].taken, &both[1].taken]);
        if first || infects {
            self.striking.push_back(test);
        } else if new {
            self.promising.push_back(test);
        }
    }

    /// Take in one test case: coverage, new questions.
    pub(super) fn learn(&mut self, test: TestCase, origin: Origin, traced: [Traced; 2]) {
        self.stats.traces += 2;
        let mut paths = [Path::default(), Path::default()];
        let mut brought = Brought {
            news: false,
            first: false,
            parted: None,
            through: false,
            infects: false,
            closest: [u32::MAX; 2],
        };
        let mut compared = Compared::new();
        for side in [Side::Old, Side::New] {
            let traced = &traced[side as usize];
            compared.append(&mut self.learn_words(&test, traced));
            paths[side as usize] = self.look_at(side, traced, &mut brought);
        }
        let taken = traced.each_ref().map(|t| t.trace.edges_taken().collect::<Vec<_>>());
        brought.infects = self.note_favourite(&test, [&taken[0], &taken[1]]);
        self.note_nearby(&test, brought.closest);
        if let Origin::Flip { flip, key, over_numbers } = &origin {
            self.check_arrival(flip, key, *over_numbers, &paths);
        }
        let (generation, depth, parted) = match &origin {
            Origin::Seed => (0, 0, false),
            Origin::Shape { generation, parted, .. } => (*generation, 0, *parted),
            Origin::Flip { flip, .. } => (0, flip.depth, self.records[flip.record].brought.parted.is_some()),
            Origin::Relaxed { aim, depth } => {
                let made_to = aim.wants.is_none();
                (0, *depth, made_to || self.records[aim.record].brought.parted.is_some())
            }
            Origin::Joint => (0, 0, true),
            Origin::Chance => (0, 0, false),
        };
        if matches!(origin, Origin::Seed) {
            self.note_extras(&paths);
        }
        brought.parted = parting(&paths, &self.extras).filter(|at| self.parts_rarely(&paths, *at) || parted);
        brought.through = brought.reaches() && self.through.insert(set_of_ways(&paths));
        if brought.through {
            self.collection.reaching.push(test.clone());
        }
        if brought.is_something() || self.records.is_empty() {
            self.collection.all.push(test.clone());
            if generation < MAX_GENERATION {
                self.queue_variants(&test, &paths[1], &compared, generation, &brought);
            }
        }
        self.vocabulary.learn_commands(&test, &compared, brought.first);
        if self.plain.len() < MAX_PLAIN && (brought.first || matches!(origin, Origin::Seed)) {
            for variant in mutate::with_commands(&test, &self.hints, &compared, &|_| true) {
                self.queue.try_word(0, Try::new(1, variant));
            }
            self.plain.push((test.clone(), compared));
        }
        if brought.first {
            self.vocabulary.learn(&test, matches!(origin, Origin::Seed));
            self.cross(&test, brought.is_near());
        }
        let worth = brought.is_something() || depth > 0;
        let record = self.records.len();
        self.by_test.insert(test.clone(), record);
        let last = [Side::Old, Side::New].map(|side| {
            let steps = &paths[side as usize].steps;
            steps.iter().rposition(|step| !step.is_guard && !self.guide.is_libc(side, step))
        });
        self.records.push(Record { test, paths, depth, last, brought });
        self.ask_about(record, worth);
        for side in [Side::Old, Side::New] {
            let steps = &self.records[record].paths[side as usize].steps;
            self.tree.add(record, side, steps, |step| !self.guide.is_libc(side, step));
        }
        if let Some(aim) = self.aim_of_run(&origin, record) {
            self.return_to(&aim, record);
        }
    }

    /// What a run was compared with. Words that are new are tried at once.
    fn learn_words(&mut self, test: &TestCase, traced: &Traced) -> Compared {
        let met = self.hints.learn(&traced.trace, &traced.inputs);
        if !met.fresh.is_empty() {
            self.try_in_seeds(&met.fresh);
        }
        for variant in met.fresh.iter().flat_map(|word| mutate::word_variants(test, word)) {
            self.queue.try_out(false, 0, Try::new(1, variant));
        }
        met.compared
    }

    /// Words that no run was compared with before, in the first test cases, at all places where one of their family could stand: what they
    /// mean shows best where everything else is as it should be.
    fn try_in_seeds(&mut self, fresh: &[Token]) {
        for (test, compared) in &self.plain {
            let is_fresh = |word: &Vec<u8>| fresh.iter().any(|new| new.2 == *word);
            for variant in mutate::with_commands(test, &self.hints, compared, &is_fresh) {
                self.queue.try_word(0, Try::new(1, variant));
            }
        }
    }

    /// What one version's run brings, and its path.
    fn look_at(&mut self, side: Side, traced: &Traced, brought: &mut Brought) -> Path {
        self.count_losses(traced);
        self.thought_ns += traced.trace.nodes().len() as u64 * TRACE_NODE_NS;
        let k = side as usize;
        let path = Path::of(traced, self.maps[k], &mut self.callees[k], &mut self.mind, self.budget);
        let closest = self.guide.closest(side, traced.trace.edges_taken());
        brought.closest[side as usize] = closest;
        brought.first |= self.is_first(side, traced);
        brought.news |= self.new_edges(side as usize, traced);
        brought.news |= self.new_ways(side, &path);
        brought.news |= closest < self.nearest[side as usize];
        path
    }

    /// How much farther from the change a run stayed than others came.
    pub(super) fn farther(&self, closest: [u32; 2]) -> u32 {
        let known = (0..2).filter(|k| self.nearest[*k] < u32::MAX);
        known.map(|k| closest[k] - self.nearest[k]).min().unwrap_or(0)
    }

    fn count_losses(&mut self, traced: &Traced) {
        for event in traced.trace.events() {
            match event {
                Event::Escape { function: name, .. } => {
                    self.stats.escapes += 1;
                    *self.escapes.entry(String::from_utf8_lossy(name).into_owned()).or_default() += 1;
                }
                Event::Concrete { reason, .. } if !is_condition(reason) => self.stats.concretisations += 1,
                _ => {}
            }
        }
    }

    /// A test case that executed something for the first time: its lines among those of others that did, and theirs among its.
    fn cross(&mut self, test: &TestCase, near: bool) {
        let latest = self.firsts.len().saturating_sub(CROSSED);
        let firsts = self.firsts.first().into_iter().chain(self.firsts.iter().skip(latest.max(1)));
        for other in self.collection.reaching.iter().take(CROSSED_REACHING).chain(firsts) {
            let both = [mutate::with_lines_of(other, test), mutate::with_lines_of(test, other)];
            let short = |t: &TestCase| inputs::longest(t) <= self.settings.max_input;
            for (rank, variant) in both.into_iter().flatten().filter(short).enumerate() {
                self.queue.try_out(near, rank, Try::new(1, variant));
            }
        }
        self.firsts.push(test.clone());
    }

    fn note_extras(&mut self, paths: &[Path; 2]) {
        let [old, new] = paths;
        let extra = joint::align(old, new).extra;
        for (k, path) in paths.iter().enumerate() {
            self.extras[k].extend(extra[k].iter().map(|at| path.steps[*at].site));
        }
    }

    /// Have the versions parted here on few runs so far? Where they do on every run, one of them only asks more.
    fn parts_rarely(&mut self, paths: &[Path; 2], at: [usize; 2]) -> bool {
        let place = [0, 1].map(|k| paths[k].steps.get(at[k]).map(|step| step.site));
        let times = self.partings.entry(place).or_default();
        *times += 1;
        *times <= RARE
    }

    /// Keeps test cases that came as close to the change as any.
    fn note_nearby(&mut self, test: &TestCase, closest: [u32; 2]) {
        let nearer = (0..2).any(|k| closest[k] < self.nearest[k]);
        if nearer {
            self.collection.nearby.clear();
        }
        (0..2).for_each(|k| self.nearest[k] = self.nearest[k].min(closest[k]));
        if nearer || closest == self.nearest && self.collection.nearby.len() < MAX_NEARBY {
            self.collection.nearby.push(test.clone());
        }
    }

    /// Keeps the test case if it is the smallest that does something. True if the versions did some unchanged code differently often
    /// where they never had.
    fn note_favourite(&mut self, test: &TestCase, taken: [&[(u32, u8)]; 2]) -> bool {
        for (k, side) in [Side::Old, Side::New].into_iter().enumerate() {
            let own = taken[k].iter().filter(|(edge, _)| !self.guide.is_edge_of_libc(side, *edge));
            self.collection.smallest.offer(test, own.map(|(edge, _)| (k, *edge)));
        }
        self.collection.infected.offer(test, self.guide.infected(taken))
    }

    /// Does a run execute code of the program that none before it did?
    fn is_first(&self, side: Side, traced: &Traced) -> bool {
        traced.trace.edges_taken().any(|(edge, _)| self.is_new_edge(side, edge))
    }

    /// A way between blocks of the program itself that was never taken.
    fn is_new_edge(&self, side: Side, edge: u32) -> bool {
        !has_edge(&self.edges[side as usize], edge) && !self.guide.is_edge_of_libc(side, edge)
    }

    fn new_edges(&mut self, k: usize, traced: &Traced) -> bool {
        let before = self.edges[k].len();
        self.edges[k].extend(traced.trace.edges_taken().map(roughly));
        self.edges[k].len() > before
    }

    fn new_ways(&mut self, side: Side, path: &Path) -> bool {
        let mut new = false;
        for step in &path.steps {
            new |= self.ways.insert((side, step.site, step.way));
            if self.contexts.insert((side, step.site, step.context, step.way)) {
                // Recursion makes contexts without end, which are no news after a while.
                let contexts = self.contexts_of.entry((side, step.site)).or_default();
                *contexts += 1;
                new |= *contexts <= NEW_CONTEXTS;
            }
        }
        new
    }
}

/// The first conditions, one of each version, that come out differently. `extras`: see [`Engine::extras`].
fn parting(paths: &[Path; 2], extras: &[HashSet<u32>; 2]) -> Option<[usize; 2]> {
    let [old, new] = paths;
    let (mut i, mut j) = (0, 0);
    loop {
        let (a, b) = (old.steps.get(i), new.steps.get(j));
        let alike = |a: &Step, b: &Step| a.is_call() && b.is_call() || a.holds == b.holds;
        match (a, b) {
            (Some(a), Some(b)) if alike(a, b) => (i, j) = (i + 1, j + 1),
            (Some(a), _) if extras[0].contains(&a.site) => i += 1,
            (_, Some(b)) if extras[1].contains(&b.site) => j += 1,
            (Some(a), Some(b)) if a.way == b.way => (i, j) = (i + 1, j + 1),
            (None, None) => return None,
            _ => return Some([i, j]),
        }
    }
}

/// Which ways were taken, whatever the order, as a hash.
fn set_of_ways(paths: &[Path; 2]) -> u64 {
    let set: BTreeSet<(usize, u32, u64)> =
        (0..2).flat_map(|k| paths[k].steps.iter().map(move |s| (k, s.site, s.way))).collect();
    hash_of(&set)
}

/// Is an edge in a set, however often it was taken?
fn has_edge(edges: &BTreeSet<(u32, u8)>, edge: u32) -> bool {
    edges.range((edge, 0)..(edge + 1, 0)).next().is_some()
}

/// An edge, and how often it was taken, roughly.
fn roughly((edge, count): (u32, u8)) -> (u32, u8) {
    (edge, bucket(count))
}

/// Counts of an edge as AFL sees them: 1, 2, 3, 4–7, 8–15, …
fn bucket(count: u8) -> u8 {
    match count {
        0..=3 => count,
        n => 8 - n.leading_zeros() as u8 + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::tests::branch;

    fn path(steps: &[Step]) -> Path {
        Path { steps: steps.to_vec(), ..Path::default() }
    }

    #[test]
    fn versions_part_where_the_same_question_gets_another_answer() {
        let none = Default::default();
        let old = path(&[branch(1, true, 1), branch(2, false, 2), branch(3, true, 3)]);
        let new = path(&[branch(1, true, 1), branch(2, true, 4)]);
        assert_eq!(parting(&[old.clone(), new], &none), Some([1, 1]));
        assert_eq!(parting(&[old.clone(), old.clone()], &none), None);
        assert_eq!(parting(&[old, path(&[branch(1, true, 1), branch(2, false, 2)])], &none), Some([2, 2]));
    }

    #[test]
    fn a_question_that_only_one_version_asks_on_a_seed_already_does_not_part_them() {
        let old = path(&[branch(1, true, 1), branch(3, false, 3)]);
        let new = path(&[branch(1, true, 1), branch(9, true, 9), branch(3, false, 3)]);
        let extras = [HashSet::new(), HashSet::from([9])];
        assert_eq!(parting(&[old.clone(), new.clone()], &extras), None);
        assert_eq!(parting(&[old, new], &Default::default()), Some([1, 1]));
    }
}
