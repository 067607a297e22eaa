// SPDX-License-Identifier: MIT
//! What an ELF program or shared library says of itself, as data: loader, libraries, flags, relocations, symbols.

use serde::{Deserialize, Serialize};

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It is started: `ET_EXEC`, or a position-independent executable.
    Executable,
    /// It is loaded by others.
    Library,
    /// Neither (an object, a core dump).
    Other,
}

/// What a file needs before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Needs {
    /// `e_machine`.
    pub machine: u16,
    /// 64 bits.
    pub wide: bool,
    /// `PT_INTERP`.
    pub interpreter: Option<String>,
    /// `DT_NEEDED`, in order.
    pub needed: Vec<String>,
    /// Folders of `DT_RUNPATH` and `DT_RPATH`.
    pub search_path: Vec<String>,
}

/// The relocations that the dynamic loader works through, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocations {
    /// An addition each.
    pub relative: u64,
    /// A search for a symbol each.
    pub symbolic: u64,
    /// A search each, at the first call where binding is lazy.
    pub plt: u64,
    /// Words of a `DT_RELR` table.
    pub packed_words: u64,
}

/// What one file says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub struct Facts {
    /// `e_machine`.
    pub machine: u16,
    /// What it is for.
    pub kind: Kind,
    /// An executable that the loader or the kernel places.
    pub pie: bool,
    /// `PT_INTERP`.
    pub interpreter: Option<String>,
    /// `DT_NEEDED`, in order.
    pub needed: Vec<String>,
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// Folders of `DT_RUNPATH` and `DT_RPATH`.
    pub search_path: Vec<String>,
    /// Every symbol is looked up before `main`.
    pub bind_now: bool,
    /// Its own symbols win (`-Bsymbolic`).
    pub symbolic: bool,
    /// `gnu`, `sysv`: the hash tables it has.
    pub hash_styles: Vec<String>,
    /// Buckets of the first of them.
    pub hash_buckets: u32,
    /// Dynamic symbols that it defines.
    pub exported: u64,
    /// Dynamic symbols that it looks for.
    pub imported: u64,
    /// By kind.
    pub relocations: Relocations,
    /// Functions in Thumb code (32-bit ARM only).
    pub thumb_functions: u64,
    /// Functions in ARM code (32-bit ARM only).
    pub arm_functions: u64,
    /// Without a symbol table of its own.
    pub stripped: bool,
    /// Bytes of its sections with code.
    pub text_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
}
