//! A value for every byte of a program's memory.
//!
//! Always holds: what was never set has the default value and takes no room; a page is found again at once when
//! it was the last one used, as it mostly is. Neither time nor memory is without end, whatever ranges a trace names: it may
//! be garbage that a program wrote over its own.

use std::collections::HashMap;

const PAGE: u64 = 4096;
/// Pages that have values; the bytes of any more keep the default.
const MAX_PAGES: usize = 1 << 16;
/// Bytes of all ranges together: more than a run can touch in its time. What comes after is left out.
const MAX_BYTES: u64 = 1 << 40;

/// One `T` for each byte of the address space.
pub struct Shadow<T> {
    index: HashMap<u64, usize>,
    pages: Vec<Box<[T]>>,
    last: (u64, usize),
    /// Bytes of all ranges so far.
    asked: u64,
    most: usize,
}

impl<T: Copy + Default> Default for Shadow<T> {
    fn default() -> Self {
        Shadow { index: HashMap::new(), pages: Vec::new(), last: (u64::MAX, 0), asked: 0, most: MAX_PAGES }
    }
}

impl<T: Copy + Default> Shadow<T> {
    /// With values for at most so many pages of 4096 bytes.
    pub fn limited(pages: usize) -> Shadow<T> {
        Shadow { most: pages.min(MAX_PAGES), ..Shadow::default() }
    }

    fn find(&mut self, page: u64) -> Option<usize> {
        if self.last.0 == page {
            return Some(self.last.1);
        }
        let found = *self.index.get(&page)?;
        self.last = (page, found);
        Some(found)
    }

    /// How much of a range is looked at.
    fn admitted(&mut self, bytes: u64) -> u64 {
        self.asked = self.asked.saturating_add(bytes);
        if self.asked > MAX_BYTES {
            0
        } else {
            bytes
        }
    }

    fn find_or_make(&mut self, page: u64) -> Option<usize> {
        if let Some(found) = self.find(page) {
            return Some(found);
        }
        if self.pages.len() >= self.most {
            return None;
        }
        self.pages.push(vec![T::default(); PAGE as usize].into_boxed_slice());
        self.index.insert(page, self.pages.len() - 1);
        self.last = (page, self.pages.len() - 1);
        Some(self.last.1)
    }

    /// The value of one byte.
    pub fn get(&mut self, address: u64) -> T {
        self.find(address / PAGE).map_or(T::default(), |p| self.pages[p][(address % PAGE) as usize])
    }

    /// Gives a range of bytes one value.
    pub fn set(&mut self, address: u64, bytes: u64, value: T) {
        let bytes = self.admitted(bytes);
        parts(address, bytes, |page, from, to| {
            if let Some(page) = self.find_or_make(page) {
                self.pages[page][from..to].fill(value);
            }
        });
    }

    /// Gives the bytes from an address on these values.
    pub fn write(&mut self, address: u64, values: &[T]) {
        let mut rest = values;
        let bytes = self.admitted(values.len() as u64);
        parts(address, bytes, |page, from, to| {
            let (mine, later) = rest.split_at(to - from);
            rest = later;
            if let Some(page) = self.find_or_make(page) {
                self.pages[page][from..to].copy_from_slice(mine);
            }
        });
    }

    /// The values of the bytes from an address on.
    pub fn read(&mut self, address: u64, into: &mut [T]) {
        into.fill(T::default());
        let bytes = self.admitted(into.len() as u64);
        let mut rest = into;
        parts(address, bytes, |page, from, to| {
            let (mine, later) = std::mem::take(&mut rest).split_at_mut(to - from);
            rest = later;
            if let Some(page) = self.find(page) {
                mine.copy_from_slice(&self.pages[page][from..to]);
            }
        });
    }

    /// Back to the default; unlike [`Shadow::set`] it makes no pages.
    pub fn clear(&mut self, address: u64, bytes: u64) {
        let bytes = self.admitted(bytes);
        parts(address, bytes, |page, from, to| {
            if let Some(page) = self.find(page) {
                self.pages[page][from..to].fill(T::default());
            }
        });
    }

    /// The values of a range, each with the number of bytes in a row that have it.
    pub fn runs(&mut self, address: u64, bytes: u64, mut each: impl FnMut(T, u64))
    where
        T: PartialEq,
    {
        let bytes = self.admitted(bytes);
        let mut current: Option<(T, u64)> = None;
        let mut add = |value: T, n: u64| match &mut current {
            Some((v, count)) if *v == value => *count += n,
            _ => {
                if let Some((v, count)) = current.replace((value, n)) {
                    each(v, count);
                }
            }
        };
        parts(address, bytes, |page, from, to| match self.find(page) {
            None => add(T::default(), (to - from) as u64),
            Some(page) => self.pages[page][from..to].iter().for_each(|v| add(*v, 1)),
        });
        if let Some((v, count)) = current {
            each(v, count);
        }
    }

    /// All values that were ever set, page by page in no order.
    pub fn values(&self) -> impl Iterator<Item = T> + '_ {
        self.pages.iter().flat_map(|page| page.iter().copied())
    }
}

/// Splits a range at page borders: page, first and last offset.
fn parts(address: u64, bytes: u64, mut each: impl FnMut(u64, usize, usize)) {
    let end = address.saturating_add(bytes);
    let mut at = address;
    while at < end {
        let from = at % PAGE;
        let n = (PAGE - from).min(end - at);
        each(at / PAGE, from as usize, (from + n) as usize);
        at += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_no_run_can_have_touched_take_no_time_and_no_room() {
        let mut shadow = Shadow::<u32>::default();
        for address in [0, 1 << 47, u64::MAX - 5] {
            shadow.set(address, u64::MAX, 7);
            shadow.clear(address, u64::MAX);
            shadow.runs(address, u64::MAX, |_, _| ());
        }
        assert_eq!((shadow.get(0), shadow.pages.len()), (0, 0));
    }

    /// Against a plain map of bytes, with ranges across pages.
    #[test]
    fn ranges_are_what_single_bytes_are() {
        let mut random = fastrand::Rng::with_seed(1);
        let (mut shadow, mut plain) = (Shadow::<u32>::default(), HashMap::new());
        for n in 1..500u32 {
            let (address, bytes) = (random.u64(0..5 * PAGE), random.u64(0..2 * PAGE));
            if random.u8(0..4) == 0 {
                shadow.clear(address, bytes);
                plain.retain(|a, _| !(address..address + bytes).contains(a));
            } else {
                shadow.set(address, bytes, n);
                plain.extend((address..address + bytes).map(|a| (a, n)));
            }
            let mut values = vec![0; random.usize(0..6000)];
            values.fill_with(|| random.u32(0..9));
            let start = random.u64(0..5 * PAGE);
            shadow.write(start, &values);
            plain.extend((start..).zip(values.iter().copied()));
            let mut back = vec![1; values.len() + 9];
            shadow.read(start, &mut back);
            let expected = |k: usize| plain.get(&(start + k as u64)).copied().unwrap_or(0);
            assert!(back.iter().enumerate().all(|(k, value)| *value == expected(k)));
            let probe = random.u64(0..7 * PAGE);
            assert_eq!(shadow.get(probe), plain.get(&probe).copied().unwrap_or(0));
            let mut at = address;
            shadow.runs(address, bytes, |value, count| {
                for a in at..at + count {
                    assert_eq!(value, plain.get(&a).copied().unwrap_or(0));
                }
                at += count;
            });
            assert_eq!(at, address + bytes);
        }
    }
}
