// SPDX-License-Identifier: MIT
//! What a line of function_graph text comes down to for the analysis, small and without borrowed text.

use super::graph_line::{Body, GraphLine};
use super::names::{NameId, Names, OVERFLOW};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A function was entered.
    Enter,
    /// A function without recorded callees.
    Leaf,
    /// A return.
    Exit,
}

/// An entry, a return or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// What happened.
    pub kind: Kind,
    /// The function; of a return it is not looked up.
    pub name: NameId,
    /// Spaces before the function.
    pub indent: u32,
    at_ns: i64,
    duration_ns: u64,
}

const NO_STAMP: i64 = i64::MIN;
const NO_DURATION: u64 = u64::MAX;

impl Call {
    /// `name` is that of [`OVERFLOW`] for a return.
    #[inline]
    pub fn new(kind: Kind, name: NameId, indent: u32, at_ns: Option<i64>, duration_ns: Option<u64>) -> Self {
        Self {
            kind,
            name,
            indent,
            at_ns: at_ns.unwrap_or(NO_STAMP),
            duration_ns: duration_ns.unwrap_or(NO_DURATION),
        }
    }

    /// What a line says, when it is a call.
    #[inline]
    pub fn of(read: &GraphLine, names: &mut Names) -> Option<Self> {
        let (kind, name) = match read.body {
            Body::Leaf(name) => (Kind::Leaf, names.intern(name)),
            Body::Enter(name) => (Kind::Enter, names.intern(name)),
            Body::Exit(_) => (Kind::Exit, OVERFLOW),
            _ => return None,
        };
        Some(Self::new(kind, name, read.indent, read.at_ns, read.duration_ns))
    }

    /// `funcgraph-abstime`.
    #[inline]
    pub fn at_ns(&self) -> Option<i64> {
        (self.at_ns != NO_STAMP).then_some(self.at_ns)
    }

    /// `funcgraph-duration`.
    #[inline]
    pub fn duration_ns(&self) -> Option<u64> {
        (self.duration_ns != NO_DURATION).then_some(self.duration_ns)
    }
}
