// SPDX-License-Identifier: MIT
//! What can go wrong while looking into an image.

/// The result of every fallible function of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an image, or a part of one, could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes end before the structure they promise.
    #[error("{what}: needs {need_bytes} bytes, the input has {have_bytes}; is the file complete?")]
    TooShort {
        /// The structure that was being read.
        what: &'static str,
        /// Bytes needed.
        need_bytes: u64,
        /// Bytes present.
        have_bytes: u64,
    },
    /// The bytes contradict the format.
    #[error("{what} is damaged: {detail}")]
    Corrupt {
        /// The structure that was being read.
        what: &'static str,
        /// What does not fit.
        detail: String,
    },
    /// A limit of [`crate::Limits`] was reached.
    #[error("{what}: more than {limit} {unit}, refused; raise the limit if you trust the input")]
    TooBig {
        /// What grew beyond the limit.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The unit of the limit.
        unit: &'static str,
    },
    /// The image does not hold what was asked for.
    #[error("no {what} found; {hint}")]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// Where else it may be had.
        hint: &'static str,
    },
    /// The bytes are of no form this crate knows.
    #[error("not a kernel image: {detail}")]
    NotAKernel {
        /// What was seen instead.
        detail: String,
    },
}

impl Error {
    /// What unpacks to more than the limit.
    pub(crate) fn too_big(what: &'static str, limits: &Limits) -> Self {
        Self::TooBig {
            what,
            limit: limits.unpacked_bytes as u64,
            unit: "bytes",
        }
    }

    pub(crate) fn corrupt(what: &'static str, detail: impl std::fmt::Display) -> Self {
        Self::Corrupt {
            what,
            detail: detail.to_string(),
        }
    }
}

/// Bounds on what hostile input may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes one decompression may produce.
    pub unpacked_bytes: usize,
    /// Most memory a decompressor's dictionary may take, in KiB.
    pub dictionary_kib: u32,
    /// Most symbols kept.
    pub symbols: usize,
}

impl Default for Limits {
    /// 512 MiB unpacked, 256 MiB dictionary, four million symbols: several times a distribution's kernel.
    fn default() -> Self {
        Self {
            unpacked_bytes: 512 << 20,
            dictionary_kib: 256 << 10,
            symbols: 4 << 20,
        }
    }
}
