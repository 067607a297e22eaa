// SPDX-License-Identifier: MIT
//! Spreads spans that overlap without nesting over several lanes; inside a lane every span nests.

use crate::timeline::tracks::Span;

/// Lanes of one track. More than this many truly parallel spans are shown as points, so that time stays linear.
pub const MAX_LANES: usize = 256;

/// A begin or an end inside one lane, in an order that nests even where times are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Span (index) starts.
    Begin(usize),
    /// Span (index) ends. Spans that never end have none.
    End(usize),
}

/// Where each span of a track goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lanes {
    /// For each lane, begins and ends in nesting order.
    pub lanes: Vec<Vec<Edge>>,
    /// Spans that found no lane.
    pub overflow: Vec<usize>,
}

struct Open {
    index: usize,
    end_ns: i64,
    empty: bool,
}

/// Closes what ended by the start of the next span. An empty span at the very end of another stays inside it.
fn close_until(stack: &mut Vec<Open>, edges: &mut Vec<Edge>, spans: &[Span], start_ns: i64, next_is_empty: bool) {
    while let Some(top) = stack.last() {
        let inside = if next_is_empty {
            top.end_ns >= start_ns && !top.empty
        } else {
            top.end_ns > start_ns
        };
        if inside {
            break;
        }
        if spans[top.index].end_ns.is_some() {
            edges.push(Edge::End(top.index));
        }
        stack.pop();
    }
}

/// Distributes spans over lanes: by start, longer first; the first lane that nests takes the span.
///
/// A span whose end lies before its start is taken as empty; an open span reaches to the end of time.
pub fn assign(spans: &[Span]) -> Lanes {
    let end_of = |span: &Span| span.end_ns.map_or(i64::MAX, |end_ns| end_ns.max(span.start_ns));
    let mut order: Vec<usize> = (0..spans.len()).collect();
    order.sort_by_key(|&i| (spans[i].start_ns, std::cmp::Reverse(end_of(&spans[i]))));
    let mut result = Lanes::default();
    let mut stacks: Vec<Vec<Open>> = Vec::new();
    for index in order {
        let (start_ns, end_ns) = (spans[index].start_ns, end_of(&spans[index]));
        let mut lane = 0;
        loop {
            if lane == stacks.len() {
                if lane == MAX_LANES {
                    result.overflow.push(index);
                    break;
                }
                stacks.push(Vec::new());
                result.lanes.push(Vec::new());
            }
            let empty = start_ns == end_ns;
            close_until(&mut stacks[lane], &mut result.lanes[lane], spans, start_ns, empty);
            if stacks[lane].last().is_none_or(|top| end_ns <= top.end_ns) {
                result.lanes[lane].push(Edge::Begin(index));
                stacks[lane].push(Open { index, end_ns, empty });
                break;
            }
            lane += 1;
        }
    }
    for (stack, edges) in stacks.iter_mut().zip(&mut result.lanes) {
        while let Some(open) = stack.pop() {
            if spans[open.index].end_ns.is_some() {
                edges.push(Edge::End(open.index));
            }
        }
    }
    result
}
