//! Dominance, control dependence and loops on random graphs, against what their definitions say word by word.

use parallax_model::graph::*;
use std::collections::BTreeSet;

/// Graphs of a few shapes: sparse, dense, with chains and jumps back. Every node can be reached from 0 in about half of them.
fn random_graph(rng: &mut fastrand::Rng) -> (usize, Vec<(u32, u32)>) {
    let n = rng.usize(1..14);
    let mut edges = Vec::new();
    if rng.bool() {
        edges.extend((1..n as u32).map(|i| (rng.u32(0..i), i)));
    }
    for _ in 0..rng.usize(0..2 * n + 1) {
        edges.push((rng.u32(0..n as u32), rng.u32(0..n as u32)));
    }
    (n, edges)
}

const GRAPHS: usize = 3000;

fn each_graph(mut check: impl FnMut(usize, &[(u32, u32)], &Graph)) {
    let mut rng = fastrand::Rng::with_seed(4);
    for _ in 0..GRAPHS {
        let (n, edges) = random_graph(&mut rng);
        check(n, &edges, &Graph::new(n, &edges));
    }
}

/// What can be reached from `from` without going through `avoided` or along an edge that is not `allowed`.
fn reach(edges: &[(u32, u32)], from: u32, allowed: impl Fn(u32, u32) -> bool) -> BTreeSet<u32> {
    let mut found = BTreeSet::from([from]);
    loop {
        let more = edges.iter().filter(|(a, b)| found.contains(a) && allowed(*a, *b)).map(|e| e.1);
        let more: Vec<u32> = more.filter(|b| !found.contains(b)).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// `a` is on every way from the root to `b`.
fn naive_dominates(edges: &[(u32, u32)], root: u32, a: u32, b: u32) -> bool {
    let reached = reach(edges, root, |_, _| true);
    let around = reach(edges, root, |from, to| from != a && to != a);
    let avoidable = root != a && around.contains(&b);
    reached.contains(&a) && reached.contains(&b) && (a == b || !avoidable)
}

#[test]
fn dominators_are_what_is_on_every_way() {
    each_graph(|n, edges, graph| {
        let tree = DomTree::new(graph, 0);
        for a in 0..n as u32 {
            for b in 0..n as u32 {
                assert_eq!(tree.dominates(a, b), naive_dominates(edges, 0, a, b), "{a} {b} {edges:?}");
            }
            // The immediate dominator is a strict dominator that all the others dominate.
            if let Some(idom) = tree.idom(a) {
                let strict = (0..n as u32).filter(|d| *d != a && naive_dominates(edges, 0, *d, a));
                assert!(strict.into_iter().all(|d| naive_dominates(edges, 0, d, idom)));
            }
        }
    });
}

/// The graph with an exit behind node `n`, that every node reaches: as the functions' graphs have.
fn with_exit(n: usize, edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let exit = n as u32;
    let mut edges = edges.to_vec();
    for node in 0..exit {
        if !reach(&edges, node, |_, _| true).contains(&exit) {
            edges.push((node, exit));
        }
    }
    edges
}

#[test]
fn control_dependence_is_what_ferrante_says() {
    each_graph(|n, edges, _| {
        let edges = with_exit(n, edges);
        let graph = Graph::new(n + 1, &edges);
        let post = DomTree::new(&graph.reversed(), n as u32);
        let control = ControlDependence::new(&graph, &post);
        let backwards: Vec<(u32, u32)> = edges.iter().map(|(a, b)| (*b, *a)).collect();
        let post_dominates = |a, b| naive_dominates(&backwards, n as u32, a, b);
        let mut all = BTreeSet::new();
        for x in 0..=n as u32 {
            let mut wanted = BTreeSet::new();
            for a in 0..=n as u32 {
                for (i, &b) in graph.successors(a).iter().enumerate() {
                    if post_dominates(x, b) && (x == a || !post_dominates(x, a)) {
                        wanted.insert(Controller { node: a, successor: i as u32 });
                    }
                }
            }
            let found: BTreeSet<_> = control.controllers(&post, x).into_iter().collect();
            assert_eq!(found, wanted, "{x} {edges:?}");
            all.extend(wanted.into_iter().map(|c| (x, c)));
        }
        assert_eq!(control.pairs(&post).collect::<BTreeSet<_>>(), all);
    });
}

#[test]
fn controllers_are_taken_once() {
    each_graph(|n, edges, _| {
        let edges = with_exit(n, edges);
        let graph = Graph::new(n + 1, &edges);
        let post = DomTree::new(&graph.reversed(), n as u32);
        let mut control = ControlDependence::new(&graph, &post);
        let all: BTreeSet<Controller> = (0..=n as u32).flat_map(|x| control.controllers(&post, x)).collect();
        let mut taken: Vec<Controller> = Vec::new();
        for x in 0..=n as u32 {
            taken.extend(control.take_controllers(&post, x));
        }
        assert_eq!(taken.len(), all.len());
        assert_eq!(taken.into_iter().collect::<BTreeSet<_>>(), all);
    });
}

/// The loop of a header by definition: what is below it in the depth-first tree and comes back to it from there.
fn naive_loop(edges: &[(u32, u32)], dfs: &Dfs, header: u32) -> BTreeSet<u32> {
    let number = |n: u32| dfs.number[n as usize];
    let last = dfs.last[number(header) as usize];
    let below = |n: u32| dfs.reached(n) && (number(header)..=last).contains(&number(n));
    let backwards: Vec<(u32, u32)> = edges.iter().map(|(a, b)| (*b, *a)).collect();
    let sources = edges.iter().filter(|(a, b)| *b == header && below(*a)).map(|e| e.0);
    let mut body: BTreeSet<u32> = BTreeSet::new();
    for source in sources {
        body.extend(reach(&backwards, source, |from, to| from != header && below(to)));
        body.insert(header);
    }
    body
}

#[test]
fn loops_are_what_comes_back_to_a_header_from_below() {
    let mut irreducible = 0;
    each_graph(|n, edges, graph| {
        let dfs = Dfs::new(graph, 0);
        let loops = Loops::new(graph, 0);
        let mut headers = BTreeSet::new();
        for (i, l) in loops.loops.iter().enumerate() {
            let body: BTreeSet<u32> = (0..n as u32).filter(|b| loops.contains(i as u32, *b)).collect();
            assert_eq!(body, naive_loop(edges, &dfs, l.header), "header {} of {edges:?}", l.header);
            let entered = |(a, b): &&(u32, u32)| {
                dfs.reached(*a) && !body.contains(a) && body.contains(b) && *b != l.header
            };
            assert_eq!(l.irreducible, edges.iter().any(|e| entered(&e)), "{edges:?}");
            irreducible += u32::from(l.irreducible);
            headers.insert(l.header);
        }
        for node in dfs.preorder.iter().filter(|node| !headers.contains(node)) {
            assert!(naive_loop(edges, &dfs, *node).is_empty(), "{node} heads a loop in {edges:?}");
        }
    });
    assert!(irreducible > 100, "too few irreducible loops to be a test: {irreducible}");
}

#[test]
fn natural_loops_are_found_where_all_loops_are_natural() {
    each_graph(|n, edges, graph| {
        let tree = DomTree::new(graph, 0);
        let loops = Loops::new(graph, 0);
        if loops.loops.iter().any(|l| l.irreducible) {
            return;
        }
        for header in 0..n as u32 {
            let back = edges.iter().filter(|(a, b)| *b == header && tree.dominates(header, *a));
            let backwards: Vec<(u32, u32)> = edges.iter().map(|(a, b)| (*b, *a)).collect();
            let mut natural = BTreeSet::new();
            for (source, _) in back {
                natural.extend(reach(&backwards, *source, |from, _| from != header));
                natural.insert(header);
            }
            natural.retain(|b| tree.contains(*b));
            let number = loops.loops.iter().position(|l| l.header == header);
            let found: BTreeSet<u32> = number.map_or(BTreeSet::new(), |l| {
                (0..n as u32).filter(|b| loops.contains(l as u32, *b)).collect()
            });
            assert_eq!(found, natural, "{edges:?}");
        }
    });
}

#[test]
fn places_below_a_bound_are_reported_in_any_range() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..500 {
        let mut keys: Vec<u32> = (0..rng.usize(0..40)).map(|_| rng.u32(0..10)).collect();
        let mut tree = MinTree::new(&keys);
        for _ in 0..10 {
            let (a, b) = (rng.usize(0..=keys.len()), rng.usize(0..=keys.len()));
            let (range, bound) = (a.min(b)..a.max(b), rng.u32(0..11));
            let wanted: Vec<usize> = range.clone().filter(|i| keys[*i] < bound).collect();
            assert_eq!(tree.below(range, bound), wanted);
            if !keys.is_empty() {
                let gone = rng.usize(0..keys.len());
                tree.remove(gone);
                keys[gone] = u32::MAX;
            }
        }
    }
}

/// Shapes that are worst for naive methods; far more than a second means that something is not near linear.
#[test]
fn graphs_of_twenty_thousand_nodes_take_no_time() {
    const N: u32 = 20_000;
    let chain = || (0..N - 1).map(|i| (i, i + 1));
    let ladder: Vec<(u32, u32)> = chain().chain((1..N).map(|i| (i, i - 1))).collect();
    let all_back: Vec<(u32, u32)> = chain().chain((1..N).map(|i| (i, 0))).collect();
    let nested: Vec<(u32, u32)> = chain().chain((N / 2..N).map(|i| (i, N - 1 - i))).collect();
    let wide: Vec<(u32, u32)> = (1..N - 1).flat_map(|i| [(0, i), (i, N - 1)]).collect();
    let crossing: Vec<(u32, u32)> =
        chain().chain((2..N).map(|i| (0, i))).chain((0..N).map(|i| (i, (i * 7919) % N))).collect();
    for (name, edges) in [
        ("ladder", ladder),
        ("all back", all_back),
        ("nested", nested),
        ("wide", wide),
        ("crossing", crossing),
    ] {
        let start = crate::common::computed();
        let exit = N;
        let mut edges = edges;
        edges.push((N - 1, exit));
        let graph = Graph::new(N as usize + 1, &edges);
        DomTree::new(&graph, 0);
        let post = DomTree::new(&graph.reversed(), exit);
        let mut control = ControlDependence::new(&graph, &post);
        let taken: usize = (0..N).map(|x| control.take_controllers(&post, x).len()).sum();
        assert!(taken > 0, "{name}");
        Loops::new(&graph, 0);
        let time = crate::common::computed() - start;
        assert!(time.as_secs() < 5, "{name} took {time:?}");
    }
}
