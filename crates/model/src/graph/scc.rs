//! Strongly connected components (Tarjan), without recursion.

use super::digraph::Graph;

/// The component of every node. Components are numbered so that edges between different ones lead to smaller numbers.
pub fn components(graph: &Graph) -> (Vec<u32>, usize) {
    const NEW: u32 = u32::MAX;
    let n = graph.len();
    let (mut number, mut low) = (vec![NEW; n], vec![0u32; n]);
    let (mut component, mut count) = (vec![NEW; n], 0);
    let (mut open, mut next_number) = (Vec::new(), 0);
    for root in 0..n as u32 {
        if number[root as usize] != NEW {
            continue;
        }
        let mut stack = vec![(root, 0usize)];
        while let Some((node, next)) = stack.last_mut() {
            let v = *node as usize;
            if *next == 0 {
                (number[v], low[v]) = (next_number, next_number);
                next_number += 1;
                open.push(*node);
            }
            let pending = graph.successors(*node).get(*next).copied();
            *next += 1;
            match pending {
                Some(w) if number[w as usize] == NEW => stack.push((w, 0)),
                Some(w) if component[w as usize] == NEW => low[v] = low[v].min(number[w as usize]),
                Some(_) => {}
                None => {
                    stack.pop();
                    if let Some((parent, _)) = stack.last() {
                        low[*parent as usize] = low[*parent as usize].min(low[v]);
                    }
                    if low[v] == number[v] {
                        while let Some(w) = open.pop() {
                            component[w as usize] = count;
                            if w as usize == v {
                                break;
                            }
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    (component, count as usize)
}
