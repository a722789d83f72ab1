//! Workers: threads that run and judge test cases, each with its own harness.

use crate::engine::is_uneven;
use crate::permits::Permits;
use crate::{Cost, CutShort, Glimpse, Harness, HarnessError, Traced, Verdict};
use crate::{Pair, Side};
use parallax_execute::TestCase;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One test case on its way through a worker.
pub struct Order {
    pub number: usize,
    pub test: TestCase,
    /// Judge even if the symbolic builds behave alike.
    pub judge_anyway: bool,
    /// Its coverage is enough.
    pub is_glimpse: bool,
    /// Work that each of its runs may do; 0 for any.
    pub work: u64,
    /// Judge it even if a run was cut, so that the native ones may take as long as their time limit.
    pub judge_cut: bool,
    /// It is judged even if a run was cut, whatever the runs did.
    pub is_seed: bool,
}

/// What became of it, by its number.
pub enum Message {
    Done(usize, Done),
    /// What the native runs showed, after [`Done::is_judged`].
    Verdict(usize, Verdict),
    Broken(HarnessError),
}

pub struct Done {
    pub seen: Seen,
    /// A verdict will follow. Otherwise the symbolic builds behaved alike, so the native ones are not run.
    pub is_judged: bool,
}

/// What the symbolic builds showed.
pub enum Seen {
    All(Box<Pair<Traced>>),
    Glimpse(Pair<Glimpse>),
}

fn work(harness: &mut dyn Harness, order: &Order) -> Result<Done, HarnessError> {
    let (test, work) = (&order.test, order.work);
    let (seen, alike) = if order.is_glimpse {
        let (old, new) = (harness.glimpse(Side::Old, test, work)?, harness.glimpse(Side::New, test, work)?);
        let alike = old.digest == new.digest;
        (Seen::Glimpse(Pair::new(old, new)), alike)
    } else {
        let (old, new) = (harness.trace(Side::Old, test, work)?, harness.trace(Side::New, test, work)?);
        let alike = old.digest == new.digest;
        (Seen::All(Box::new(Pair::new(old, new))), alike)
    };
    let mut done = Done { seen, is_judged: false };
    done.is_judged = must_judge(order, done.costs(), alike);
    Ok(done)
}

/// What a run did that was cut says nothing about its end. It is worth a native run, which may hang, only where one version did far more than the
/// other.
fn must_judge(order: &Order, costs: Pair<Cost>, alike: bool) -> bool {
    match costs.iter().any(|(_, cost)| cost.cut != CutShort::No) {
        true => order.is_seed || order.judge_cut && is_uneven(costs),
        false => !alike || order.judge_anyway,
    }
}

impl Done {
    pub fn costs(&self) -> Pair<Cost> {
        match &self.seen {
            Seen::All(both) => both.as_ref().as_ref().map(|traced| traced.cost),
            Seen::Glimpse(both) => both.as_ref().map(|glimpse| glimpse.cost),
        }
    }

    /// Bytes that its traces take, about.
    fn size(&self) -> u64 {
        match &self.seen {
            Seen::All(both) => both.iter().map(|(_, traced)| traced.trace.size()).sum::<usize>() as u64,
            Seen::Glimpse(_) => 0,
        }
    }
}

/// How long a worker sleeps before it looks again whether there is room for another trace.
const NAP: Duration = Duration::from_millis(5);

/// What the workers and the search know of each other.
#[derive(Default)]
struct Shared {
    /// Bytes of traces that nobody has taken yet, and how many there may be.
    held: AtomicU64,
    most: u64,
    /// The number of the result that is taken next.
    wanted: AtomicUsize,
    /// The search is over: what was ordered is not needed.
    over: AtomicBool,
}

impl Shared {
    /// Waits until there is room for another trace. The result that everybody waits for needs none.
    fn wait_for_room(&self, number: usize) {
        let is_full = || self.held.load(Ordering::Relaxed) > self.most;
        while is_full() && self.wanted.load(Ordering::Relaxed) != number && !self.is_over() {
            std::thread::sleep(NAP);
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// Does what was ordered, and tells what is known as soon as it is. False: nobody listens any more.
fn obey(harness: &mut dyn Harness, order: &Order, shared: &Shared, outbox: &Sender<Message>) -> bool {
    let done = match work(harness, order) {
        Ok(done) => done,
        Err(error) => return outbox.send(Message::Broken(error)).is_ok(),
    };
    shared.held.fetch_add(done.size(), Ordering::Relaxed);
    let is_judged = done.is_judged;
    let is_heard = outbox.send(Message::Done(order.number, done)).is_ok();
    if !is_judged || !is_heard {
        return is_heard;
    }
    let verdict = match harness.judge(&order.test) {
        Ok(verdict) => Message::Verdict(order.number, verdict),
        Err(error) => Message::Broken(error),
    };
    outbox.send(verdict).is_ok()
}

/// Orders go in at one end, results come out at the other, in any order.
pub struct Workers {
    orders: Option<Sender<Order>>,
    pub results: Receiver<Message>,
    threads: Vec<std::thread::JoinHandle<()>>,
    shared: Arc<Shared>,
}

impl Workers {
    /// `most`: bytes of traces that may wait to be taken, about.
    pub fn start(harnesses: Vec<Box<dyn Harness>>, most: u64, permits: &Arc<Permits>) -> Workers {
        let shared = Arc::new(Shared { most, ..Shared::default() });
        let (orders, inbox) = channel::<Order>();
        let (outbox, results) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        let threads = harnesses
            .into_iter()
            .map(|mut harness| {
                let (inbox, outbox, shared) = (inbox.clone(), outbox.clone(), shared.clone());
                let permits = permits.clone();
                std::thread::spawn(move || {
                    loop {
                        // A poisoned lock means that another worker panicked; then there is nothing to do here.
                        let Ok(order) = inbox.lock().map(|i| i.recv()) else { return };
                        let Ok(order) = order else { return };
                        shared.wait_for_room(order.number);
                        if shared.is_over() {
                            return;
                        }
                        let permit = permits.take();
                        if !obey(harness.as_mut(), &order, &shared, &outbox) {
                            return;
                        }
                        drop(permit);
                    }
                })
            })
            .collect();
        Workers { orders: Some(orders), results, threads, shared }
    }

    pub fn send(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // Fails only if all workers are gone, which the receiver notices.
            let _ = orders.send(order);
        }
    }

    /// A result was taken, in the order of the numbers.
    pub fn took(&self, done: &Done) {
        self.shared.held.fetch_sub(done.size(), Ordering::Relaxed);
        self.shared.wanted.fetch_add(1, Ordering::Relaxed);
    }

    /// Let the workers finish what they are at; what they still had to say comes back.
    pub fn stop(mut self) -> Vec<Message> {
        self.shared.over.store(true, Ordering::Relaxed);
        self.orders = None;
        for thread in self.threads.drain(..) {
            // A worker that panicked has said so on standard error.
            let _ = thread.join();
        }
        self.results.try_iter().collect()
    }
}
