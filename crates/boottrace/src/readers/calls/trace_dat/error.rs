// SPDX-License-Identifier: MIT
//! What can be wrong with a `trace.dat`.

/// An error with the place and the next thing to try.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Another kind of file.
    #[error("not a trace.dat file: the magic value is missing; `file NAME` may tell what it is")]
    Magic,
    /// A version this reader does not know.
    #[error("trace.dat version {0} is not known (6 and 7 are); try `trace-cmd convert -i IN -o OUT --file-version 6`")]
    Version(String),
    /// A compression this reader does not know.
    #[error(
        "compression {0} is not known (zlib and zstd are); try `trace-cmd convert -i IN -o OUT --compression none`"
    )]
    Compression(String),
    /// The file ends too early, or an offset leads out of it.
    #[error("the file ends inside {what} at byte {offset}; was the copy complete? compare sizes with the original")]
    Truncated {
        /// The part that was being read.
        what: &'static str,
        /// Where it was.
        offset: u64,
    },
    /// A size or a format text makes no sense.
    #[error("{what} is damaged; `trace-cmd dump --summary -i NAME` shows what trace-cmd makes of the file")]
    Damaged {
        /// The part.
        what: &'static str,
    },
    /// The file holds latency text instead of events.
    #[error("this file holds latency tracer text; print it with `trace-cmd report -i NAME` and read that")]
    LatencyText,
    /// Reading failed.
    #[error("reading failed: {0}")]
    Io(#[from] std::io::Error),
}
