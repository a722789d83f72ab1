//! The events of one run, one after the other, with a look at the next one.
//!
//! In: batches of events from wherever they come (a thread that decodes a running program, a list). Out: single events.
//!
//! Always holds: no more than a batch is held; events of other threads than the first are counted and left out, because their order is not the program's.

use parallax_trace::dependence::{At, Event};

/// An event, and how many activations there were: for a return that of what returns.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub depth: u32,
    pub thread: u32,
    pub event: Event,
}

/// As the decoder hands them out.
pub fn item(at: At, event: Event) -> Item {
    let left = u32::from(matches!(event, Event::Return { .. }));
    Item { depth: at.stack.len() as u32 + left, thread: at.thread, event }
}

/// One run's events.
pub struct Cursor<'f> {
    batch: std::vec::IntoIter<Item>,
    next: Option<Item>,
    fetch: Box<dyn FnMut() -> Option<Vec<Item>> + 'f>,
    over: bool,
    /// Events so far.
    pub count: u64,
    /// Events of other threads.
    pub elsewhere: u64,
}

impl<'f> Cursor<'f> {
    /// `fetch`: the next batch, none when the run is over.
    pub fn new(fetch: impl FnMut() -> Option<Vec<Item>> + 'f) -> Cursor<'f> {
        Cursor {
            batch: Vec::new().into_iter(),
            next: None,
            fetch: Box::new(fetch),
            over: false,
            count: 0,
            elsewhere: 0,
        }
    }

    pub fn of_list(items: Vec<Item>) -> Cursor<'f> {
        let mut items = Some(items);
        Cursor::new(move || items.take())
    }

    #[inline]
    pub fn peek(&mut self) -> Option<&Item> {
        if self.next.is_none() {
            self.next = self.fetch_one();
        }
        self.next.as_ref()
    }

    #[inline]
    pub fn take(&mut self) -> Option<Item> {
        let item = match self.next.take() {
            Some(item) => Some(item),
            None => self.fetch_one(),
        };
        self.count += u64::from(item.is_some());
        item
    }

    fn fetch_one(&mut self) -> Option<Item> {
        loop {
            match self.batch.next() {
                Some(item) if item.thread == 0 => return Some(item),
                Some(_) => self.elsewhere += 1,
                None if self.over => return None,
                None => match (self.fetch)() {
                    Some(batch) => self.batch = batch.into_iter(),
                    None => self.over = true,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_one_run_and_other_threads_are_left_out() {
        let one = |thread, block| Item { depth: 1, thread, event: Event::Block { block } };
        let mut batches = vec![vec![one(0, 1), one(1, 9)], vec![], vec![one(0, 2)]].into_iter();
        let mut cursor = Cursor::new(|| batches.next());
        assert!(matches!(cursor.peek().unwrap().event, Event::Block { block: 1 }));
        let mut seen = Vec::new();
        while let Some(Item { event: Event::Block { block }, .. }) = cursor.take() {
            seen.push(block);
        }
        assert_eq!((seen, cursor.count, cursor.elsewhere), (vec![1, 2], 2, 1));
    }
}
