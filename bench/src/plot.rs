//! Line plots as SVG: a few series over linear axes that start at 0, so that a straight line through the
//! origin is what linear cost looks like.

use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const TICKS: usize = 5;
const COLOURS: [&str; 4] = ["#1b6ca8", "#c8553d", "#588157", "#6d597a"];

pub struct Plot<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
    /// Name and points.
    pub series: Vec<(&'a str, Vec<(f64, f64)>)>,
}

fn nice(max: f64) -> f64 {
    let power = 10f64.powf(max.max(1e-9).log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0].iter().map(|m| m * power).find(|n| *n >= max).unwrap_or(max)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

impl Plot<'_> {
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| &s.1);
        let x_max = nice(points().map(|p| p.0).fold(0.0, f64::max));
        let y_max = nice(points().map(|p| p.1).fold(0.0, f64::max));
        let x = |v: f64| LEFT + v / x_max * (WIDTH - LEFT - RIGHT);
        let y = |v: f64| HEIGHT - BOTTOM - v / y_max * (HEIGHT - TOP - BOTTOM);
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
        );
        let mut text = |at: (f64, f64), anchor: &str, text: &str| {
            let _ = writeln!(
                out,
                "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"{anchor}\">{}</text>",
                at.0,
                at.1,
                escape(text)
            );
        };
        text((WIDTH / 2.0, 20.0), "middle", self.title);
        text((WIDTH / 2.0, HEIGHT - 10.0), "middle", self.x);
        text((10.0, TOP - 8.0), "start", self.y);
        for tick in 0..=TICKS {
            let part = tick as f64 / TICKS as f64;
            text((x(part * x_max), HEIGHT - BOTTOM + 18.0), "middle", &format!("{}", part * x_max));
            text((LEFT - 8.0, y(part * y_max) + 4.0), "end", &format!("{}", part * y_max));
        }
        for (k, (name, _)) in self.series.iter().enumerate() {
            text((LEFT + 32.0, TOP + 16.0 * (k as f64 + 1.0)), "start", name);
        }
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {TOP}V{:.0}H{:.0}\" fill=\"none\" stroke=\"black\"/>",
            HEIGHT - BOTTOM,
            WIDTH - RIGHT
        );
        for (k, (_, points)) in self.series.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let at = TOP + 16.0 * (k as f64 + 1.0) - 4.0;
            let _ = writeln!(out, "<path d=\"M{:.0} {at}h20\" stroke=\"{colour}\"/>", LEFT + 8.0);
            let line: Vec<String> = points.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
            let _ = writeln!(
                out,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
                line.join(" ")
            );
            for p in points {
                let _ = writeln!(
                    out,
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                    x(p.0),
                    y(p.1)
                );
            }
        }
        out.push_str("</svg>\n");
        out
    }
}
