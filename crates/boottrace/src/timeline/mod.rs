// SPDX-License-Identifier: MIT
//! Spans, instants and call trees of any origin: what readers give and exporters write.

pub mod tracks;
pub mod tree;

pub use tracks::{Counter, Instant, Span, Timeline, Track};
pub use tree::{Tree, TreeNode};
