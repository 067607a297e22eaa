// SPDX-License-Identifier: MIT
//! What a source file defines.

/// What a line of a source file defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A function that other files can call.
    Function,
    /// A `static` function, or a label of assembly that is not global.
    Local,
    /// An initcall: the function's name, with the level's macro (`device_initcall`) as detail.
    Initcall,
    /// A driver's structure, with the driver's name as detail.
    Driver,
    /// A device-tree compatible.
    Compatible,
    /// A source file that is included.
    Include,
}

impl Kind {
    /// One letter for each kind.
    pub fn letter(self) -> char {
        match self {
            Self::Function => 'F',
            Self::Local => 'L',
            Self::Initcall => 'I',
            Self::Driver => 'D',
            Self::Compatible => 'C',
            Self::Include => 'N',
        }
    }
}

/// One thing that a file defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// What it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// More about it; empty for functions.
    pub detail: String,
}
