// SPDX-License-Identifier: MIT
//! The one error tree of the crate: what happened and where, and apart from it what to try. Hostile content is never an
//! error: it is reported in the document.

use std::path::PathBuf;

/// Why nothing could be read at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be opened or read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file that was asked for.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A compressed file gave nothing before it broke.
    #[error("{name}: this looks like {format} data but nothing could be unpacked: {why}")]
    Unpack {
        /// The name the caller gave to the input.
        name: String,
        /// `gzip`, `xz` or `zstd`.
        format: &'static str,
        /// The decompressor's own words.
        why: String,
    },
    /// There is not a byte to read.
    #[error("{name} is empty")]
    Empty {
        /// The name the caller gave to the input.
        name: String,
    },
    /// A threshold could not be understood.
    #[error("cannot understand the threshold `{given}`: {why}")]
    Threshold {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: String,
    },
    /// A budget could not be understood.
    #[error("cannot understand the budget `{given}`: {why}")]
    Budget {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    /// What to try next.
    pub fn hint(&self) -> String {
        match self {
            Self::Read { path, .. } => {
                let path = path.display();
                format!("Check the name and the permissions (try `ls -l {path}`)")
            }
            Self::Unpack { name, format, .. } => format!("Try `{format} -t {name}`"),
            Self::Empty { .. } => {
                "Capture the console again, or save the kernel's log with `dmesg > boot.log`".to_owned()
            }
            Self::Threshold { .. } => "Write it like `initcall=2ms,10%`".to_owned(),
            Self::Budget { .. } => "Write it like `kernel=500ms`".to_owned(),
        }
    }
}
