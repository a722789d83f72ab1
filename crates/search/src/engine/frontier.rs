//! What to ask and to try next: questions that a run raises, what they are worth, and the test cases of a round.

use super::*;
use crate::words::Compared;

impl Engine<'_> {
    /// New questions from a run. `worth`: all of them, else only what no run was asked.
    pub(super) fn ask_about(&mut self, record: usize, worth: bool) {
        let mut alignment = joint::Alignment::default();
        if self.settings.joint {
            let Record { paths: [old, new], .. } = &self.records[record];
            let mut questions = joint::about_outputs(old, new, &mut self.mind);
            // Runs that brought nothing new are asked about their outputs only.
            if worth {
                alignment = joint::align(old, new);
                questions.extend(joint::about_branches(old, new, &alignment, &mut self.mind));
            }
            for question in questions {
                if self.out_of_time() {
                    return;
                }
                self.ask_joint(record, question);
            }
        }
        let [old, new] = &self.records[record].paths;
        // Up to where the versions do the same, a flip of one is a flip of the other; and where one only asks more.
        let common = old.steps.iter().zip(&new.steps).take_while(|(a, b)| a.is_like(b)).count();
        let parted = self.records[record].brought.parted.map_or(usize::MAX, |at| at[1]);
        let alone = &alignment.alone[Side::New as usize];
        let is_same = |step: usize| {
            step < common
                || worth && self.settings.joint && step < parted && alone.binary_search(&step).is_err()
        };
        let same: Vec<bool> = (0..new.steps.len()).map(is_same).collect();
        for side in [Side::Old, Side::New] {
            for (mut flip, key) in self.flips(record, side, &alignment.alone[side as usize]) {
                let is_other = self.is_another_question(&flip, &key);
                if is_other {
                    flip.again = 0;
                }
                if side == Side::New && same[flip.step] {
                    self.queue.mark(key);
                } else if worth || is_other || self.queue.times(&key) == 0 {
                    self.ask_flip(self.class_of(&flip), flip, key);
                }
            }
        }
    }

    /// A way of the program that was never taken, wanted before if at all of another value: on a path on which the same variable was
    /// computed otherwise.
    fn is_another_question(&mut self, flip: &Flip, key: &FlipKey) -> bool {
        let step = self.step(flip);
        self.class(flip.side, step, flip.other) == Class::NewWay
            && !self.guide.is_libc(flip.side, step)
            && self.wanted.insert((key.branch(), step.others[flip.other]))
    }

    pub(super) fn ask_flip(&mut self, class: Class, flip: Flip, key: FlipKey) {
        let ranks = Course::BOTH.map(|course| self.rank(course, class, &flip, &key));
        let news = self.records[flip.record].brought.news;
        self.queue.ask(ranks, news, flip, key);
    }

    pub(super) fn ask_joint(&mut self, record: usize, question: joint::Question) {
        let wants = question.over_numbers.unwrap_or(question.differs);
        let effort = self.mind.effort(wants, &self.records[record].test, self.settings.seed);
        let cost = if question.patient { effort * answers::IMPATIENCE as u64 } else { effort };
        self.queue.ask_joint(record, question, cost);
    }

    pub(super) fn flips(&self, record: usize, side: Side, alone: &[usize]) -> Vec<(Flip, FlipKey)> {
        let mut list = Vec::new();
        for (index, step) in self.records[record].paths[side as usize].steps.iter().enumerate() {
            let alone = alone.binary_search(&index).is_ok();
            for other in 0..step.others.len() {
                let mut key = FlipKey::new(side, step, other);
                if self.records[record].is_behind(side, index) {
                    key = key.towards(VISIBLE, step);
                }
                let again = self.queue.times(&key);
                let flip = Flip { alone, again, ..Flip::new(record, side, index, other) };
                list.push((flip, key));
            }
        }
        list
    }

    pub(super) fn class(&self, side: Side, step: &crate::path::Step, other: usize) -> Class {
        let way = step.other_ways[other];
        if step.is_guard {
            Class::Guard
        } else if !self.ways.contains(&(side, step.site, way)) {
            Class::NewWay
        } else if !self.contexts.contains(&(side, step.site, step.context, way)) {
            Class::NewContext
        } else {
            Class::NewRound
        }
    }

    /// What a flip is worth: its class counts, that others of the same branch were in vain counts against it, and so
    /// does that its run brought nothing new.
    pub(super) fn rank(&self, course: Course, class: Class, flip: &Flip, key: &FlipKey) -> u32 {
        let record = &self.records[flip.record];
        let step = &record.paths[flip.side as usize].steps[flip.step];
        let reaches = record.brought.reaches();
        // What libc makes of the input is seldom what the change is about.
        let foreign = match self.guide.is_libc(flip.side, step) {
            true if class >= Class::NewRound => FOREIGN_ROUND,
            true => 1 + u32::from(class > Class::NewWay),
            false => 0,
        };
        // What is computed from a long input takes long to run and to understand.
        let long = magnitude((record.paths[flip.side as usize].steps.len() / LONG) as u32);
        let rank = class as u32 + self.worn(course, class, flip, key) + foreign + long;
        let rank = match self.guide.leads_to(flip, step) {
            Distance::Branches(n)
                if class > Class::Behind && n < record.brought.closest[flip.side as usize] =>
            {
                rank.saturating_sub(guide::NEARER)
            }
            Distance::Never if !reaches => rank + guide::ASTRAY,
            _ => rank,
        };
        // Where something was executed for the first time, what is next to it probably was not; and where the
        // versions have parted unseen, another way there may show it.
        let neighbour = match course {
            Course::Broad => record.brought.first,
            Course::Deep => {
                let unseen =
                    record.brought.news && record.brought.parted.is_some() && class > Class::Obstacle;
                unseen || record.brought.first && class > Class::Behind && class < Class::NewRound
            }
        };
        let rank = if foreign == 0 && neighbour { rank.saturating_sub(FIRST) } else { rank };
        let is_last = record.last[flip.side as usize] == Some(flip.step);
        let rank = if is_last && class > Class::Behind { rank.saturating_sub(LAST) } else { rank };
        // A second time, on a run that brought nothing new: only when little else is left.
        let rank =
            rank + if !record.brought.news && flip.again > 0 && class > Class::Alone { STALE } else { 0 };
        // Where the change is executed now and then, the rest can wait.
        let elsewhere = u32::from(!reaches && !self.collection.reaching.is_empty());
        let slow = if flip.patient { answers::SLOW } else { 0 };
        2 * (rank + elsewhere + slow) + u32::from(!record.brought.news)
    }

    /// How much the question was asked already, elsewhere.
    fn worn(&self, course: Course, class: Class, flip: &Flip, key: &FlipKey) -> u32 {
        let record = &self.records[flip.record];
        let vain = self.vain.get(&key.branch()).copied().unwrap_or(0);
        let spent = self.spent.get(&key.site()).copied().unwrap_or(0);
        // What executes the change in a new way may have infected the state: what was asked elsewhere is another
        // question here.
        let infected = course == Course::Deep && record.brought.news && record.brought.reaches();
        let (again, spent) = if infected { (0, 0) } else { (flip.again, spent) };
        // That no other function can be called on one path says little about another.
        if record.brought.first && self.step(flip).is_call() {
            return 0;
        }
        match class {
            // Runs on which the versions part are rare: what makes it visible is asked on most of them.
            Class::Behind => magnitude(flip.again) / 2 + magnitude(spent / SPENT_BEHIND),
            Class::Alone | Class::NewWay | Class::Obstacle => magnitude(vain) + magnitude(again),
            Class::NewContext | Class::NewRound | Class::Guard => {
                magnitude(vain) + magnitude(again) + magnitude(spent / SPENT)
            }
        }
    }

    /// Test cases for the next round.
    pub(super) fn next_round(&mut self) -> Round {
        let mut round = Vec::new();
        self.ask_the_tree(&mut round);
        let asks = round.len() + ASKS;
        for _ in 0..MAX_QUESTIONS {
            if round.len() >= asks || self.out_of_time() {
                break;
            }
            let worth = if round.len() < POOR_ASKS { u32::MAX } else { POOR };
            let mut queue = std::mem::take(&mut self.queue);
            let ask = queue.next_ask(
                &|course, flip, key| {
                    let class = if key.is_obstacle() { Class::Obstacle } else { self.class_of(flip) };
                    self.rank(course, class, flip, key)
                },
                worth,
            );
            self.queue = queue;
            let Some(ask) = ask else { break };
            if let Some(found) = self.answer(ask) {
                round.push(found);
            }
        }
        for _ in 0..TRIES {
            let Some(Try { generation, test, parted, of }) = self.next_shape() else { break };
            round.push((test, Origin::Shape { generation, parted, of }));
        }
        if !self.records.is_empty() {
            let wanted = (std::mem::take(&mut self.thought_ns) / GLIMPSE_NS) as usize;
            let wanted = wanted.clamp(GLIMPSES, MAX_GLIMPSES);
            let more = (0..wanted).map_while(|turn| self.next_glimpse(turn));
            round.extend(more.map(|test| (test, Origin::Chance)).collect::<Round>());
        }
        round
    }

    /// Questions of [`crate::tree`], as long as they cost little compared with the others.
    fn ask_the_tree(&mut self, round: &mut Round) {
        let is_cheap = |e: &Self| e.tree.paid <= (e.paid - e.tree.paid) / TREE_PART;
        while round.len() < TREE_ASKS && is_cheap(self) && !self.out_of_time() {
            let Some((flip, key)) = self.tree.next() else { break };
            let before = self.paid;
            round.extend(self.answer(Ask::Flip(flip, key)));
            self.tree.paid += self.paid - before;
        }
    }

    /// A test case that need not be looked at unless it does something new: random ones and systematic ones in turn.
    fn next_glimpse(&mut self, turn: usize) -> Option<TestCase> {
        let shape = match turn % 7 {
            0 => self.queue.next_try(true),
            1 => self.queue.next_try(false),
            2 => self.queue.next_option(true).or_else(|| self.queue.next_try(true)),
            3 => self.queue.next_option(false).or_else(|| self.queue.next_try(false)),
            4 => self.queue.next_word(),
            5 => self.in_sequence(),
            _ => None,
        };
        shape.map(|next| next.test).or_else(|| self.by_chance())
    }

    /// A test case of another shape: random ones that did something new, changes of what executes the change, other changes, and what a
    /// solver wanted put in instead of written over, in turn.
    pub(super) fn next_shape(&mut self) -> Option<Try> {
        if let Some(next) = self.next_striking() {
            return Some(next);
        }
        self.turn += 1;
        let first = match self.turn % 4 {
            0 => self.next_promising(),
            1 => self.queue.next_try(true),
            2 => self.queue.next_inserted(),
            _ => None,
        };
        first
            .or_else(|| self.next_promising())
            .or_else(|| self.queue.next_inserted())
            .or_else(|| self.queue.next_try(true))
            .or_else(|| self.queue.next_try(false))
    }

    fn next_promising(&mut self) -> Option<Try> {
        self.promising.pop_front().map(|test| Try::new(0, test))
    }

    fn next_striking(&mut self) -> Option<Try> {
        self.striking.pop_front().map(|test| Try::new(0, test))
    }

    /// A random test case of things that the program understands.
    fn in_sequence(&mut self) -> Option<Try> {
        for _ in 0..CHANCES {
            let corpus = self.collection.draw(&mut self.random);
            let from = corpus.get(self.random.usize(..corpus.len().max(1)))?;
            let test = self.vocabulary.sequence(from, &mut self.random, self.settings.max_input)?;
            if self.queue.is_new(&test) {
                return Some(Try::new(0, test));
            }
        }
        None
    }

    fn by_chance(&mut self) -> Option<TestCase> {
        for _ in 0..CHANCES {
            let max = self.settings.max_input;
            let corpus = self.collection.draw(&mut self.random);
            let test = havoc::changed(corpus, &self.hints, &mut self.random, max);
            if let Some(test) = test.filter(|test| self.queue.is_new(test)) {
                return Some(test);
            }
        }
        None
    }

    pub(super) fn queue_variants(
        &mut self,
        test: &TestCase,
        path: &Path,
        compared: &Compared,
        generation: u32,
        brought: &Brought,
    ) {
        let distance = |step: &crate::path::Step| self.guide.at(Side::New, step);
        let stretches = loops::stretches(path, &self.mind, &distance);
        let repeated = loops::repeated(test, &stretches, brought.through);
        let variants = variants(test, &self.hints, compared, repeated, self.settings.max_input);
        let (near, parted) = (brought.is_near(), brought.parted.is_some());
        let farther = self.farther(brought.closest);
        let of = Some(self.records.len());
        let next = |test| Try { generation: generation + 1, test, parted, of };
        let wait = FAR * farther as usize + if brought.news { 0 } else { NO_NEWS };
        for variant in mutate::with_options(test, &self.hints) {
            self.queue.try_option(near, farther, next(variant));
        }
        if brought.first || brought.through {
            for variant in mutate::with_words(test, &self.hints, compared, self.settings.max_input) {
                self.queue.try_word(farther, next(variant));
            }
        }
        for (rank, variant) in variants.into_iter().enumerate() {
            self.queue.try_out(near, rank + wait, next(variant));
        }
    }
}
