// SPDX-License-Identifier: MIT
//! The goal of a boot whose console is read, where its recording knows it: no bound of the log stands for it.

/// When the goal came, in the words of who knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Goal {
    /// The first sentence of the headline.
    pub sentence: String,
    /// The figure that a page begins with, in milliseconds.
    pub figure: String,
    /// What that figure is.
    pub figure_name: String,
    /// The time on the axis of the log, in milliseconds.
    pub at: String,
    /// The same, ns; none where the axis is another clock's.
    pub at_ns: Option<i64>,
    /// Which line shows it.
    pub evidence: String,
}
