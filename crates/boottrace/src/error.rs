//! The one error tree of the crate. Hostile content is never an error: it is reported in the document.

use std::path::PathBuf;

/// Why nothing could be read at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be opened or read.
    #[error("cannot read {path}: {source}. Check the name and the permissions (try `ls -l {path}`)")]
    Read {
        /// The file that was asked for.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A compressed file gave nothing before it broke.
    #[error("{name}: this looks like {format} data but nothing could be unpacked: {why}. Try `{format} -t {name}`")]
    Unpack {
        /// The name the caller gave to the input.
        name: String,
        /// `gzip`, `xz` or `zstd`.
        format: &'static str,
        /// The decompressor's own words.
        why: String,
    },
    /// There is not a byte to read.
    #[error("{name} is empty. Capture the console again, or save the kernel's log with `dmesg > boot.log`")]
    Empty {
        /// The name the caller gave to the input.
        name: String,
    },
    /// A threshold could not be understood.
    #[error("cannot understand the threshold `{given}`: {why}. Write it like `initcall=2ms,10%`")]
    Threshold {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: String,
    },
    /// A budget could not be understood.
    #[error("cannot understand the budget `{given}`: {why}. Write it like `kernel=500ms`")]
    Budget {
        /// What was given.
        given: String,
        /// What is wrong with it.
        why: String,
    },
}
