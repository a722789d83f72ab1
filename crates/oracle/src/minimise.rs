//! Smaller test cases that are different in the same way.
//!
//! In: a test case and a check that says whether a smaller one is still the same difference. Out: the smallest that
//! was found before the check said to stop.
//!
//! Always holds: the result passed the check, or is the test case that came in; it is never larger.

use parallax_execute::TestCase;
use std::path::PathBuf;

/// What the check says of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Still the same difference.
    Same,
    /// Not the same difference.
    Other,
    /// The budget is used up.
    Stop,
}

/// Delta debugging, coarse parts first: whole inputs, then links, modes and directories, arguments, then bytes; again until nothing more goes.
pub fn minimise(test: &TestCase, check: &mut dyn FnMut(&TestCase) -> Step) -> TestCase {
    let mut search = Search { best: test.clone(), check, stopped: false };
    loop {
        let before = search.best.clone();
        search.list(|test| &mut test.env);
        search.list(|test| &mut test.files);
        search.list(|test| &mut test.layout.links);
        search.list(|test| &mut test.layout.modes);
        search.list(|test| &mut test.layout.directories);
        search.start_at_the_top();
        search.list(|test| &mut test.argv);
        search.list(|test| &mut test.stdin);
        for i in 0..search.best.files.len() {
            search.list(move |test| &mut test.files[i].1);
        }
        for i in 0..search.best.argv.len() {
            search.list(move |test| &mut test.argv[i]);
        }
        for i in 0..search.best.env.len() {
            search.list(move |test| &mut test.env[i].1);
        }
        if search.stopped || search.best == before {
            return search.best;
        }
    }
}

struct Search<'c> {
    best: TestCase,
    check: &'c mut dyn FnMut(&TestCase) -> Step,
    stopped: bool,
}

impl Search<'_> {
    /// Whether the working directory matters at all.
    fn start_at_the_top(&mut self) {
        if self.stopped || self.best.layout.working_directory.as_os_str().is_empty() {
            return;
        }
        let mut candidate = self.best.clone();
        candidate.layout.working_directory = PathBuf::new();
        match (self.check)(&candidate) {
            Step::Same => self.best = candidate,
            Step::Other => {}
            Step::Stop => self.stopped = true,
        }
    }

    /// Takes contiguous parts out of one list, from all of it down to single elements.
    fn list<T>(&mut self, part: impl Fn(&mut TestCase) -> &mut Vec<T>) {
        let mut size = part(&mut self.best).len();
        while size > 0 {
            let mut at = 0;
            while at < part(&mut self.best).len() {
                if self.stopped {
                    return;
                }
                let mut candidate = self.best.clone();
                let list = part(&mut candidate);
                let end = (at + size).min(list.len());
                list.drain(at..end);
                match (self.check)(&candidate) {
                    Step::Same => self.best = candidate,
                    Step::Other => at += size,
                    Step::Stop => self.stopped = true,
                }
            }
            size /= 2;
        }
    }
}
