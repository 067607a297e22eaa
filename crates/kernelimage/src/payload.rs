// SPDX-License-Identifier: MIT
//! Decompression of a kernel payload, bounded in memory, whatever the bytes.

use std::io::Read;

use crate::bytes::ByteOrder;
use crate::compression::{Compression, MAGICS};
use crate::error::{Error, Limits, Result};
use crate::{lz4, lzop};

/// A search tries this many places that look like a payload, no more.
const MAX_CANDIDATES: usize = 32;
/// A hit of [`search`] that unpacks to less is taken for chance.
const MIN_KERNEL_BYTES: usize = 4096;

/// Unpacks `data`, which starts with the magic of `compression`; bytes after its end (the size word that the kernel
/// build appends, a device tree) are ignored.
///
/// # Errors
/// [`Error::Corrupt`] when the stream is damaged, [`Error::TooBig`] when it grows beyond the limit.
pub fn decompress(compression: Compression, data: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    match compression {
        Compression::Gzip => drain("gzip payload", flate2::read::GzDecoder::new(data), limits),
        Compression::Xz => drain(
            "xz payload",
            lzma_rust2::XzReader::new_mem_limit(data, false, limits.dictionary_kib),
            limits,
        ),
        Compression::Lzma => {
            let reader = lzma_rust2::LzmaReader::new_mem_limit(data, limits.dictionary_kib, None)
                .map_err(|error| Error::corrupt("lzma payload", error))?;
            drain("lzma payload", reader, limits)
        }
        Compression::Bzip2 => drain("bzip2 payload", bzip2::read::BzDecoder::new(data), limits),
        Compression::Zstd => zstd(data, limits),
        Compression::Lz4 => lz4::decompress_legacy(data, limits),
        Compression::Lzo => lzop::decompress(data, limits),
        Compression::None => {
            if data.len() > limits.unpacked_bytes {
                return Err(Error::too_big("payload", limits));
            }
            Ok(data.to_vec())
        }
    }
}

/// A payload found by [`search`].
#[derive(Debug)]
pub struct Found {
    /// Where it starts in the searched bytes.
    pub offset_bytes: usize,
    /// How it is packed.
    pub compression: Compression,
    /// What it unpacks to.
    pub unpacked: Vec<u8>,
}

/// Finds a payload whose place nothing names: tries every magic in the order of the file, as `scripts/extract-vmlinux`
/// does. The first that unpacks to a kernel, known by its banner, is taken; else the first that unpacks to a kernel's
/// size (it may be packed twice); where nothing unpacks, the answer is `None`.
pub fn search(image: &[u8], limits: &Limits) -> Option<Found> {
    let mut candidates: Vec<(usize, Compression)> = MAGICS
        .iter()
        .flat_map(|&(kind, magic)| {
            memchr::memmem::find_iter(image, magic)
                .filter(move |&at| kind.looks_right(&image[at..]))
                .take(MAX_CANDIDATES)
                .map(move |at| (at, kind))
        })
        .collect();
    candidates.sort_unstable_by_key(|&(at, _)| at);
    let mut second_best = None;
    for (at, compression) in candidates.into_iter().take(MAX_CANDIDATES) {
        let Ok(unpacked) = decompress(compression, &image[at..], limits) else {
            continue;
        };
        if unpacked.len() < MIN_KERNEL_BYTES {
            continue;
        }
        let is_kernel = crate::version::find(&unpacked).is_some();
        let found = Found {
            offset_bytes: at,
            compression,
            unpacked,
        };
        if is_kernel {
            return Some(found);
        }
        second_best.get_or_insert(found);
    }
    second_best
}

/// Reads one zstd frame. The decoder allocates the window at once, so its size is checked here.
fn zstd(data: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    const WHAT: &str = "zstd payload";
    let window_cap_bytes = u64::from(limits.dictionary_kib) << 10;
    let window_bytes = zstd_window_bytes(data).ok_or_else(|| Error::corrupt(WHAT, "the frame header is cut off"))?;
    if window_bytes > window_cap_bytes {
        return Err(Error::TooBig {
            what: "zstd window",
            limit: window_cap_bytes,
            unit: "bytes",
        });
    }
    let decoder = ruzstd::decoding::StreamingDecoder::new(data).map_err(|error| Error::corrupt(WHAT, error))?;
    drain(WHAT, decoder, limits)
}

/// Window that a frame asks for (RFC 8878, section 3.1.1.1). Kernels ask for 128 MiB: `zstd -22 --ultra` from a pipe.
fn zstd_window_bytes(data: &[u8]) -> Option<u64> {
    let descriptor = *data.get(4)?;
    if descriptor & 0x20 == 0 {
        let window = *data.get(5)?;
        let base = 1u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // A single segment: the window is the content, whose size follows the dictionary's id.
    let id_bytes = [0, 1, 2, 4][(descriptor & 3) as usize];
    let size = data.get(5 + id_bytes..)?;
    Some(match descriptor >> 6 {
        0 => u64::from(*size.first()?),
        1 => u64::from(ByteOrder::Little.u16(size, 0)?) + 256,
        2 => u64::from(ByteOrder::Little.u32(size, 0)?),
        _ => ByteOrder::Little.u64(size, 0)?,
    })
}

fn drain(what: &'static str, reader: impl Read, limits: &Limits) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    // One byte more than allowed tells "exactly full" from "too big".
    reader
        .take(limits.unpacked_bytes as u64 + 1)
        .read_to_end(&mut out)
        .map_err(|error| Error::corrupt(what, error))?;
    if out.len() > limits.unpacked_bytes {
        return Err(Error::too_big(what, limits));
    }
    Ok(out)
}
