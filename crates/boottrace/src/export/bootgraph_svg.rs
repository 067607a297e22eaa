// SPDX-License-Identifier: MIT
//! A static picture in the manner of the kernel's `scripts/bootgraph.pl`, but of every instance: no threshold, no merging
//! by name, a row for each task and further rows where spans overlap or nest.

use std::io::{self, Write};

use super::lanes;
use super::lanes::Edge;
use crate::text::printable as text;
use crate::timeline::tracks::{Span, Timeline};

/// How the picture is drawn. Lengths are pixels.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Width of the time axis.
    pub width_px: f64,
    /// Height of one row.
    pub row_px: f64,
    /// Bars beyond this number are left out, longest kept, and the picture says how many.
    pub max_spans: usize,
    /// Nesting rows of one lane; deeper spans are left out and counted.
    pub max_depth: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width_px: 1600.0,
            row_px: 18.0,
            max_spans: 50_000,
            max_depth: 40,
        }
    }
}

const PALETTE: [&str; 12] = [
    "#8dd3c7", "#ffffb3", "#bebada", "#fb8072", "#80b1d3", "#fdb462", "#b3de69", "#fccde5", "#d9d9d9", "#bc80bd",
    "#ccebc5", "#ffed6f",
];
const LEFT_PX: f64 = 180.0;
const TOP_PX: f64 = 60.0;
const CHAR_PX: f64 = 6.6;

/// Same name, same colour, in every picture.
fn colour(name: &str) -> &'static str {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    PALETTE[(hash % PALETTE.len() as u64) as usize]
}

struct Bar<'a> {
    span: &'a Span,
    row: usize,
}

struct Layout<'a> {
    bars: Vec<Bar<'a>>,
    labels: Vec<(usize, &'a str)>,
    points: Vec<(usize, i64, &'a str)>,
    rows: usize,
    left_out: usize,
}

fn shorten(name: &str, chars: usize) -> String {
    if name.chars().count() <= chars {
        return name.to_owned();
    }
    name.chars().take(chars.saturating_sub(1)).chain(['\u{2026}']).collect()
}

fn layout<'a>(timeline: &'a Timeline, options: &Options, end_ns: i64) -> Layout<'a> {
    let mut lengths: Vec<i64> = timeline
        .tracks
        .iter()
        .flat_map(|track| &track.spans)
        .map(|span| span.end_ns.unwrap_or(end_ns).saturating_sub(span.start_ns))
        .collect();
    let total = lengths.len();
    let mut shortest_ns = i64::MIN;
    if total > options.max_spans {
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        shortest_ns = lengths[options.max_spans.saturating_sub(1)];
    }
    let mut result = Layout {
        bars: Vec::new(),
        labels: Vec::new(),
        points: Vec::new(),
        rows: 0,
        left_out: 0,
    };
    for track in &timeline.tracks {
        if track.spans.is_empty() && track.instants.is_empty() {
            continue;
        }
        let first_row = result.rows;
        result.labels.push((first_row, &track.name));
        result
            .points
            .extend(track.instants.iter().map(|i| (first_row, i.at_ns, i.name.as_str())));
        let lanes = lanes::assign(&track.spans);
        result.left_out += lanes.overflow.len();
        for lane in &lanes.lanes {
            let (mut depth, mut deepest) = (0, 0);
            for edge in lane {
                let Edge::Begin(index) = *edge else {
                    depth -= 1;
                    continue;
                };
                let span = &track.spans[index];
                let length_ns = span.end_ns.unwrap_or(end_ns).saturating_sub(span.start_ns);
                if depth < options.max_depth && length_ns >= shortest_ns && result.bars.len() < options.max_spans {
                    result.bars.push(Bar {
                        span,
                        row: result.rows + depth,
                    });
                    deepest = deepest.max(depth);
                } else {
                    result.left_out += 1;
                }
                depth += 1;
            }
            result.rows += deepest + 1;
        }
        result.rows = result.rows.max(first_row + 1);
    }
    result
}

/// A step of 1, 2 or 5 times a power of ten that gives about ten lines.
fn grid_step_ns(range_ns: i64) -> i64 {
    let mut step_ns = 1_i64;
    while range_ns / step_ns > 10 {
        for factor in [2, 5, 10] {
            if range_ns / step_ns.saturating_mul(factor) <= 10 || factor == 10 {
                step_ns = step_ns.saturating_mul(factor);
                break;
            }
        }
    }
    step_ns
}

/// Writes the picture. Open spans reach to the right edge and are drawn with a broken border.
///
/// # Errors
/// Those of `out`.
pub fn write<W: Write>(timeline: &Timeline, options: &Options, mut out: W) -> io::Result<()> {
    let (low_ns, high_ns) = timeline.bounds_ns().unwrap_or((0, 0));
    let range_ns = high_ns.saturating_sub(low_ns).max(1);
    let plan = layout(timeline, options, high_ns);
    let scale = options.width_px / range_ns as f64;
    let x = |at_ns: i64| LEFT_PX + at_ns.saturating_sub(low_ns) as f64 * scale;
    let y = |row: usize| TOP_PX + row as f64 * options.row_px;
    let (width, height) = (LEFT_PX + options.width_px + 20.0, y(plan.rows) + 30.0);
    write!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"20\" font-size=\"15\">{} ({})</text>\n",
        text::xml(&timeline.title),
        text::xml(&timeline.clock)
    )?;
    if plan.left_out > 0 {
        writeln!(
            out,
            "<text x=\"10\" y=\"36\" fill=\"#a00\">{} spans are not drawn</text>",
            plan.left_out
        )?;
    }
    let step_ns = grid_step_ns(range_ns);
    let mut at_ns = low_ns.div_euclid(step_ns).saturating_mul(step_ns);
    for _ in 0..24 {
        if at_ns >= low_ns && at_ns <= high_ns {
            let (x, bottom) = (x(at_ns), y(plan.rows));
            writeln!(
                out,
                "<line x1=\"{x:.2}\" y1=\"{TOP_PX}\" x2=\"{x:.2}\" y2=\"{bottom:.0}\" stroke=\"#ddd\"/>\
                 <text x=\"{x:.2}\" y=\"{:.0}\" fill=\"#666\">{}s</text>",
                TOP_PX - 4.0,
                text::seconds(at_ns).trim_end_matches('0').trim_end_matches('.')
            )?;
        }
        at_ns = at_ns.saturating_add(step_ns);
    }
    for (row, name) in &plan.labels {
        let label = text::xml(&shorten(name, (LEFT_PX / CHAR_PX) as usize - 1));
        writeln!(
            out,
            "<line x1=\"0\" y1=\"{0:.0}\" x2=\"{width:.0}\" y2=\"{0:.0}\" stroke=\"#bbb\"/>\
             <text x=\"4\" y=\"{1:.1}\">{label}</text>",
            y(*row),
            y(*row) + options.row_px * 0.72
        )?;
    }
    for bar in &plan.bars {
        draw(
            &mut out,
            bar,
            options,
            x(bar.span.start_ns),
            x(bar.span.end_ns.unwrap_or(high_ns)),
            y(bar.row),
        )?;
    }
    for (row, at_ns, name) in &plan.points {
        writeln!(
            out,
            "<circle cx=\"{:.2}\" cy=\"{:.1}\" r=\"3\" fill=\"#c00\"><title>{} at {} s</title></circle>",
            x(*at_ns),
            y(*row) + options.row_px / 2.0,
            text::xml(name),
            text::seconds(*at_ns)
        )?;
    }
    out.write_all(b"</svg>\n")?;
    out.flush()
}

fn draw(out: &mut impl Write, bar: &Bar, options: &Options, left: f64, right: f64, top: f64) -> io::Result<()> {
    let span = bar.span;
    let width = (right - left).max(0.5);
    let length = span.duration_ns().map_or_else(
        || "never ended".to_owned(),
        |ns| format!("{} s", text::seconds(i64::try_from(ns).unwrap_or(i64::MAX))),
    );
    let border = if span.end_ns.is_none() {
        " stroke=\"#c00\" stroke-dasharray=\"3\""
    } else {
        ""
    };
    write!(
        out,
        "<g><title>{}: {length}, from {} s{}</title><rect x=\"{left:.2}\" y=\"{top:.1}\" width=\"{width:.2}\" \
         height=\"{:.1}\" fill=\"{}\"{border}/>",
        text::xml(&span.name),
        text::seconds(span.start_ns),
        span.args
            .iter()
            .map(|(k, v)| text::xml(&format!(", {k} {v}")))
            .collect::<String>(),
        options.row_px - 2.0,
        colour(&span.name)
    )?;
    let room = (width / CHAR_PX) as usize;
    if room >= 4 {
        let label = text::xml(&shorten(&text::printable(&span.name), room));
        write!(
            out,
            "<text x=\"{:.2}\" y=\"{:.1}\">{label}</text>",
            left + 2.0,
            top + options.row_px * 0.68
        )?;
    }
    out.write_all(b"</g>\n")
}
