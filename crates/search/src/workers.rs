//! Workers: threads that run and judge test cases, each with its own laboratory.

use crate::{Glimpse, Lab, LabError, Side, Traced, Verdict};
use parallax_execute::TestCase;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};

/// One test case on its way through a worker.
pub struct Order {
    pub number: usize,
    pub test: TestCase,
    /// Judge even if the symbolic builds behave alike.
    pub judge_anyway: bool,
    /// A glimpse is enough.
    pub glimpse: bool,
}

/// What became of it.
pub struct Result {
    pub number: usize,
    pub done: std::result::Result<Done, LabError>,
}

pub struct Done {
    pub seen: Seen,
    /// `None`: the symbolic builds behaved alike, so the native ones were not run.
    pub verdict: Option<Verdict>,
}

/// What the symbolic builds showed.
pub enum Seen {
    All([Traced; 2]),
    Glimpse([Glimpse; 2]),
}

fn work(lab: &mut dyn Lab, order: &Order) -> std::result::Result<Done, LabError> {
    let (seen, alike) = if order.glimpse {
        let both = [lab.glimpse(Side::Old, &order.test)?, lab.glimpse(Side::New, &order.test)?];
        let alike = both[0].digest == both[1].digest;
        (Seen::Glimpse(both), alike)
    } else {
        let both = [lab.trace(Side::Old, &order.test)?, lab.trace(Side::New, &order.test)?];
        let alike = both[0].digest == both[1].digest;
        (Seen::All(both), alike)
    };
    let judge = !alike || order.judge_anyway;
    let verdict = if judge { Some(lab.judge(&order.test)?) } else { None };
    Ok(Done { seen, verdict })
}

/// Orders go in at one end, results come out at the other, in any order.
pub struct Workers {
    orders: Option<Sender<Order>>,
    pub results: Receiver<Result>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Workers {
    pub fn start(labs: Vec<Box<dyn Lab>>) -> Workers {
        let (orders, inbox) = channel::<Order>();
        let (outbox, results) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        let threads = labs
            .into_iter()
            .map(|mut lab| {
                let (inbox, outbox) = (inbox.clone(), outbox.clone());
                std::thread::spawn(move || {
                    loop {
                        // A poisoned lock means that another worker panicked; then there is nothing to do here.
                        let Ok(order) = inbox.lock().map(|i| i.recv()) else { return };
                        let Ok(order) = order else { return };
                        let done = work(lab.as_mut(), &order);
                        if outbox.send(Result { number: order.number, done }).is_err() {
                            return;
                        }
                    }
                })
            })
            .collect();
        Workers { orders: Some(orders), results, threads }
    }

    pub fn send(&self, order: Order) {
        if let Some(orders) = &self.orders {
            // Fails only if all workers are gone, which the receiver notices.
            let _ = orders.send(order);
        }
    }

    /// Let the workers finish what they have.
    pub fn stop(mut self) {
        self.orders = None;
        for thread in self.threads.drain(..) {
            // A worker that panicked has said so on standard error.
            let _ = thread.join();
        }
    }
}
