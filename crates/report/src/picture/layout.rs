//! Where nodes and edges go: layers from top to bottom (after Sugiyama, Tagawa and Toda).
//!
//! In: sizes of nodes, and edges. Out: a place for every node and a line for every edge.
//!
//! Always holds: no two nodes overlap, and no edge runs behind one unless there are too many for points; every edge between different layers runs from top to bottom, those that close a cycle upwards;
//! nothing recurses, and the number of sweeps is fixed, so that any graph is laid out in bounded time.

/// Between two nodes of a layer, and between layers.
const GAP: f64 = 24.0;
const LAYER_GAP: f64 = 40.0;
/// Beside a point that an edge passes through.
const POINT_GAP: f64 = 8.0;
/// A layer that is wider, without the points in it, gives nodes to the next one. Edges that pass between nodes still make a picture wider.
const MAX_WIDTH: f64 = 2400.0;
/// How often the order of layers, and the places in them, are made better.
const SWEEPS: usize = 8;
/// Edges over many layers pass through points; with more points than this, long edges are straight.
const MAX_POINTS: usize = 20_000;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Upper left corner of every node.
    pub nodes: Vec<Point>,
    /// By edge: from its beginning to its end.
    pub edges: Vec<Vec<Point>>,
    pub width: f64,
    pub height: f64,
}

/// A node, or a point that a long edge passes through.
struct Cell {
    layer: usize,
    width: f64,
    height: f64,
    up: Vec<usize>,
    down: Vec<usize>,
    x: f64,
}

impl Cell {
    /// Nothing pulls it anywhere: such nodes end their row.
    fn is_alone(&self) -> bool {
        self.up.is_empty() && self.down.is_empty()
    }

    /// How much room it wants beside it.
    fn gap(&self) -> f64 {
        if self.width > 0.0 {
            GAP
        } else {
            POINT_GAP
        }
    }
}

pub fn layout(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Layout {
    let back = closing(sizes.len(), edges);
    let layers = layers(sizes, edges, &back);
    let mut cells: Vec<Cell> = sizes
        .iter()
        .zip(&layers)
        .map(|((width, height), layer)| Cell {
            layer: *layer,
            width: *width,
            height: *height,
            up: Vec::new(),
            down: Vec::new(),
            x: 0.0,
        })
        .collect();
    let ways = ways(&mut cells, edges, &back);
    let mut rows = rows(&cells);
    sort(&mut cells, &mut rows);
    place(&mut cells, &rows);
    finish(&cells, &rows, sizes.len(), &ways, &back)
}

/// Edges that close a cycle, found by a depth-first walk.
fn closing(nodes: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    edges.iter().enumerate().for_each(|(n, (from, _))| out[*from].push(n));
    let mut closes = vec![false; edges.len()];
    // 0: not seen, 1: on the way, 2: done.
    let mut state = vec![0u8; nodes];
    for root in 0..nodes {
        if state[root] != 0 {
            continue;
        }
        let mut stack = vec![(root, 0)];
        state[root] = 1;
        while let Some((node, at)) = stack.last_mut() {
            let Some(edge) = out[*node].get(*at).copied() else {
                state[*node] = 2;
                stack.pop();
                continue;
            };
            *at += 1;
            let to = edges[edge].1;
            match state[to] {
                0 => {
                    state[to] = 1;
                    stack.push((to, 0));
                }
                1 => closes[edge] = true,
                _ => {}
            }
        }
    }
    closes
}

/// Below everything that leads to a node, in the first layer that has room for it.
fn layers(sizes: &[(f64, f64)], edges: &[(usize, usize)], back: &[bool]) -> Vec<usize> {
    let nodes = sizes.len();
    let forward = || edges.iter().zip(back).filter(|(_, back)| !**back).map(|(edge, _)| *edge);
    let mut waiting = vec![0usize; nodes];
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (from, to) in forward() {
        waiting[to] += 1;
        out[from].push(to);
    }
    let mut layer = vec![0; nodes];
    let mut widths: Vec<f64> = Vec::new();
    let mut ready: Vec<usize> = (0..nodes).filter(|n| waiting[*n] == 0).collect();
    let mut at = 0;
    while at < ready.len() {
        let node = ready[at];
        at += 1;
        let width = sizes[node].0 + GAP;
        let has_room = |taken: &f64| *taken == 0.0 || taken + width <= MAX_WIDTH;
        let lower = widths.iter().skip(layer[node]).position(has_room);
        layer[node] = lower.map_or(widths.len().max(layer[node]), |below| layer[node] + below);
        widths.resize(widths.len().max(layer[node] + 1), 0.0);
        widths[layer[node]] += width;
        for to in &out[node] {
            layer[*to] = layer[*to].max(layer[node] + 1);
            waiting[*to] -= 1;
            if waiting[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    layer
}

/// The cells that each edge passes through, downwards; points are added for long edges.
fn ways(cells: &mut Vec<Cell>, edges: &[(usize, usize)], back: &[bool]) -> Vec<Vec<usize>> {
    let mut ways = Vec::new();
    for ((from, to), back) in edges.iter().zip(back) {
        let (top, bottom) = if *back { (*to, *from) } else { (*from, *to) };
        let mut way = vec![top];
        for layer in cells[top].layer + 1..cells[bottom].layer {
            if cells.len() >= MAX_POINTS {
                break;
            }
            way.push(cells.len());
            cells.push(Cell { layer, width: 0.0, height: 0.0, up: Vec::new(), down: Vec::new(), x: 0.0 });
        }
        way.push(bottom);
        if top != bottom {
            for pair in way.windows(2) {
                cells[pair[0]].down.push(pair[1]);
                cells[pair[1]].up.push(pair[0]);
            }
        }
        ways.push(way);
    }
    ways
}

fn rows(cells: &[Cell]) -> Vec<Vec<usize>> {
    let count = cells.iter().map(|c| c.layer + 1).max().unwrap_or(0);
    let mut rows = vec![Vec::new(); count];
    cells.iter().enumerate().for_each(|(n, cell)| rows[cell.layer].push(n));
    rows
}

/// Orders each row by the mean place of its neighbours in the row before, down and up in turn.
fn sort(cells: &mut [Cell], rows: &mut [Vec<usize>]) {
    let mut place = vec![0.0; cells.len()];
    let number = |row: &[usize], place: &mut Vec<f64>| {
        row.iter().enumerate().for_each(|(n, cell)| place[*cell] = n as f64);
    };
    rows.iter().for_each(|row| number(row, &mut place));
    for sweep in 0..SWEEPS {
        let order: Vec<usize> =
            if sweep % 2 == 0 { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for r in order {
            let key = |cell: &usize| {
                let near = if sweep % 2 == 0 { &cells[*cell].up } else { &cells[*cell].down };
                match cells[*cell].is_alone() {
                    true => f64::INFINITY,
                    false => mean(near.iter().map(|n| place[*n])).unwrap_or(place[*cell]),
                }
            };
            let mut keyed: Vec<(f64, usize)> = rows[r].iter().map(|cell| (key(cell), *cell)).collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            rows[r] = keyed.into_iter().map(|(_, cell)| cell).collect();
            number(&rows[r], &mut place);
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Centres: side by side first, then towards the neighbours, as far as the row allows.
fn place(cells: &mut [Cell], rows: &[Vec<usize>]) {
    for row in rows {
        let mut x = 0.0;
        for cell in row {
            cells[*cell].x = x + cells[*cell].width / 2.0;
            x += cells[*cell].width + cells[*cell].gap();
        }
    }
    for sweep in 0..SWEEPS {
        let order: Vec<usize> =
            if sweep % 2 == 0 { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for r in order {
            let wanted: Vec<f64> = rows[r]
                .iter()
                .map(|cell| {
                    let near = if sweep % 2 == 0 { &cells[*cell].up } else { &cells[*cell].down };
                    mean(near.iter().map(|n| cells[*n].x)).unwrap_or(cells[*cell].x)
                })
                .collect();
            settle(cells, &rows[r], &wanted);
        }
    }
    let left = cells.iter().map(|c| c.x - c.width / 2.0).fold(f64::INFINITY, f64::min);
    cells.iter_mut().for_each(|c| c.x -= left);
}

/// Near to the wanted places without overlap: half way between what comes of pushing to the right, from the left, and of pushing to the left, from the right.
fn settle(cells: &mut [Cell], row: &[usize], wanted: &[f64]) {
    let apart = |a: usize, b: usize| {
        let (a, b) = (&cells[row[a]], &cells[row[b]]);
        (a.width + b.width) / 2.0 + a.gap().max(b.gap())
    };
    let held = row.iter().filter(|cell| !cells[**cell].is_alone()).count();
    let mut right = wanted.to_vec();
    for n in 1..held {
        right[n] = right[n].max(right[n - 1] + apart(n - 1, n));
    }
    let mut left = wanted.to_vec();
    for n in (1..held).rev() {
        left[n - 1] = left[n - 1].min(left[n] - apart(n - 1, n));
    }
    for n in held.max(1)..row.len() {
        right[n] = right[n - 1] + apart(n - 1, n);
        left[n] = left[n - 1] + apart(n - 1, n);
    }
    for (n, cell) in row.iter().enumerate() {
        cells[*cell].x = (right[n] + left[n]) / 2.0;
    }
}

fn finish(cells: &[Cell], rows: &[Vec<usize>], nodes: usize, ways: &[Vec<usize>], back: &[bool]) -> Layout {
    let (mut tops, mut bottoms) = (Vec::new(), Vec::new());
    let mut y = 0.0;
    for row in rows {
        tops.push(y);
        bottoms.push(y + row.iter().map(|c| cells[*c].height).fold(0.0, f64::max));
        y = bottoms[bottoms.len() - 1] + LAYER_GAP;
    }
    let mut layout = Layout { height: (y - LAYER_GAP).max(0.0), ..Layout::default() };
    layout.width = cells.iter().map(|c| c.x + c.width / 2.0).fold(0.0, f64::max);
    let corner = |c: &Cell| Point { x: c.x - c.width / 2.0, y: tops[c.layer] };
    layout.nodes = cells[..nodes].iter().map(corner).collect();
    for (way, back) in ways.iter().zip(back) {
        let (first, last) = (&cells[way[0]], &cells[way[way.len() - 1]]);
        let mut line = Vec::new();
        if way.len() == 2 && way[0] == way[1] {
            line.extend(around(corner(first), first.width, first.height));
        } else {
            // Straight through the row of each, so that no edge runs behind a node.
            line.push(Point { x: first.x, y: tops[first.layer] + first.height });
            line.push(Point { x: first.x, y: bottoms[first.layer] });
            for cell in way[1..way.len() - 1].iter().map(|n| &cells[*n]) {
                line.push(Point { x: cell.x, y: tops[cell.layer] });
                line.push(Point { x: cell.x, y: bottoms[cell.layer] });
            }
            line.push(Point { x: last.x, y: tops[last.layer] });
            line.dedup();
        }
        if *back {
            line.reverse();
        }
        layout.edges.push(line);
    }
    layout
}

/// From a node to itself.
fn around(corner: Point, width: f64, height: f64) -> [Point; 4] {
    let (right, out) = (corner.x + width, corner.x + width + GAP / 2.0);
    let (upper, lower) = (corner.y + height * 0.25, corner.y + height * 0.75);
    [
        Point { x: right, y: lower },
        Point { x: out, y: lower },
        Point { x: out, y: upper },
        Point { x: right, y: upper },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_random_graphs_do_not_overlap_and_hide_no_edge() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let n = random.usize(1..30);
            let sizes: Vec<(f64, f64)> =
                (0..n).map(|_| (random.f64() * 200.0 + 10.0, random.f64() * 50.0 + 10.0)).collect();
            let edges: Vec<(usize, usize)> =
                (0..random.usize(0..60)).map(|_| (random.usize(0..n), random.usize(0..n))).collect();
            let layout = layout(&sizes, &edges);
            assert_eq!(layout.edges.len(), edges.len());
            for ((from, to), line) in edges.iter().zip(&layout.edges) {
                for other in (0..n).filter(|other| other != from && other != to) {
                    let (at, (width, height)) = (layout.nodes[other], sizes[other]);
                    let inside =
                        |p: &Point| p.x > at.x && p.x < at.x + width && p.y > at.y && p.y < at.y + height;
                    let half = |pair: &[Point]| Point {
                        x: (pair[0].x + pair[1].x) / 2.0,
                        y: (pair[0].y + pair[1].y) / 2.0,
                    };
                    assert!(
                        !line.iter().any(inside) && !line.windows(2).any(|pair| inside(&half(pair))),
                        "an edge runs behind {other}"
                    );
                }
            }
            for a in 0..n {
                for b in 0..a {
                    let (p, q) = (layout.nodes[a], layout.nodes[b]);
                    let beside = p.x + sizes[a].0 <= q.x || q.x + sizes[b].0 <= p.x;
                    let above = p.y + sizes[a].1 <= q.y || q.y + sizes[b].1 <= p.y;
                    assert!(beside || above, "{a} and {b} overlap");
                }
            }
        }
    }

    #[test]
    fn what_depends_on_one_node_is_put_into_several_rows() {
        let edges: Vec<(usize, usize)> = (1..200).map(|n| (0, n)).collect();
        let star = layout(&[(300.0, 26.0); 200], &edges);
        let mut rows: std::collections::BTreeMap<i64, f64> = std::collections::BTreeMap::new();
        star.nodes.iter().for_each(|at| *rows.entry(at.y as i64).or_default() += 300.0 + GAP);
        assert!(rows.values().all(|width| *width <= MAX_WIDTH), "{rows:?}");
        assert!((1..200).all(|n| star.nodes[0].y < star.nodes[n].y));
    }

    #[test]
    fn nodes_without_edges_stand_beside_the_others() {
        let layout = layout(&[(100.0, 20.0); 12], &[(0, 1), (1, 2), (0, 2)]);
        let mut row: Vec<f64> = layout.nodes.iter().filter(|at| at.y == 0.0).map(|at| at.x).collect();
        row.sort_by(f64::total_cmp);
        assert_eq!(row.len(), 10);
        assert!(row.windows(2).all(|pair| (pair[1] - pair[0] - 100.0 - GAP).abs() < 0.001), "{row:?}");
    }

    #[test]
    fn a_chain_of_pairs_does_not_drift_apart() {
        // Two nodes in every row, each above both of the next row.
        let pairs = |n: usize| [(n, n + 2 - n % 2), (n, n + 3 - n % 2)];
        let edges: Vec<(usize, usize)> = (0..98).flat_map(pairs).collect();
        let chain = layout(&[(100.0, 20.0); 100], &edges);
        assert!(chain.width <= 4.0 * 100.0, "{}", chain.width);
    }

    #[test]
    fn edges_that_close_no_cycle_lead_down() {
        let layout = layout(&[(10.0, 10.0); 4], &[(0, 1), (1, 2), (2, 0), (0, 3), (3, 2)]);
        let down = |from: usize, to: usize| layout.nodes[from].y < layout.nodes[to].y;
        assert!(down(0, 1) && down(1, 2) && down(0, 3) && down(3, 2));
    }
}
