//! A row of keys that reports, in any range, the places whose key is below a bound, at a logarithmic cost for each.

/// A tree of minima over a row of keys.
#[derive(Clone, Debug)]
pub struct MinTree {
    /// A complete binary tree: node i has children 2i and 2i+1; leaves are the keys.
    minima: Vec<u32>,
    leaves: usize,
}

impl MinTree {
    pub fn new(keys: &[u32]) -> Self {
        let leaves = keys.len().next_power_of_two().max(1);
        let mut minima = vec![u32::MAX; 2 * leaves];
        minima[leaves..leaves + keys.len()].copy_from_slice(keys);
        for i in (1..leaves).rev() {
            minima[i] = minima[2 * i].min(minima[2 * i + 1]);
        }
        MinTree { minima, leaves }
    }

    /// Places in `range` with a key below `bound`, in order.
    pub fn below(&self, range: std::ops::Range<usize>, bound: u32) -> Vec<usize> {
        let mut found = Vec::new();
        let mut pending = vec![(1, 0, self.leaves)];
        while let Some((node, start, len)) = pending.pop() {
            if self.minima[node] >= bound || start >= range.end || start + len <= range.start {
                continue;
            }
            if len == 1 {
                found.push(start);
                continue;
            }
            pending.push((2 * node + 1, start + len / 2, len / 2));
            pending.push((2 * node, start, len / 2));
        }
        found
    }

    /// The key at `place` becomes too large to be reported.
    pub fn remove(&mut self, place: usize) {
        let mut node = self.leaves + place;
        self.minima[node] = u32::MAX;
        while node > 1 {
            node /= 2;
            self.minima[node] = self.minima[2 * node].min(self.minima[2 * node + 1]);
        }
    }
}
