//! gzip, xz and zstd, with an eye on bombs and on files that end too early.

use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::Limits;

/// Below this size an archive may have any ratio: a log full of one character is not an attack.
const HARMLESS_BYTES: u64 = 16 << 20;
const CHUNK_BYTES: usize = 64 << 10;

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Packing {
    /// RFC 1952, several members allowed.
    Gzip,
    /// The .xz container.
    Xz,
    /// RFC 8878, several frames allowed.
    Zstd,
}

impl Packing {
    /// Looks at the magic bytes.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, 0x08, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// The name of the tool that makes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        }
    }
}

/// What came out, and why not more.
#[derive(Debug)]
pub struct Unpacked {
    /// All bytes up to the end or to the first problem.
    pub bytes: Vec<u8>,
    /// Why it stopped early, if it did.
    pub problem: Option<String>,
}

/// Unpacks as much as there is. Never fails: a broken archive gives what came before the break.
pub fn unpack(packed: &[u8], packing: Packing, limits: &Limits) -> Unpacked {
    let bound = limits.input_bytes.min(
        (packed.len() as u64)
            .saturating_mul(limits.archive_ratio)
            .max(HARMLESS_BYTES),
    );
    let mut out = Vec::new();
    let mut problem = match packing {
        Packing::Gzip => drain(flate2::read::MultiGzDecoder::new(packed), &mut out, bound),
        Packing::Xz => unpack_xz(packed, &mut out, bound),
        Packing::Zstd => unpack_zstd(packed, &mut out, bound),
    };
    if let Some(why) = problem.take() {
        problem = Some(format!(
            "{} archive: {why}; took the {} bytes before it",
            packing.name(),
            out.len()
        ));
    }
    Unpacked { bytes: out, problem }
}

/// The dictionary that is set up before the header is read; a larger one is made when it asks for it.
const XZ_FIRST_BYTES: usize = 64 << 10;
/// Larger dictionaries are refused: no tool makes them by default and they cost memory up front.
const XZ_DICTIONARY_BYTES: usize = 64 << 20;

/// Parallel tools write many streams, with zero padding allowed between them.
fn unpack_xz(mut packed: &[u8], out: &mut Vec<u8>, bound: u64) -> Option<String> {
    let mut decoder = xz4rust::XzDecoder::in_heap_with_alloc_dict_size(XZ_FIRST_BYTES, XZ_DICTIONARY_BYTES);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let step = match decoder.decode(packed, &mut chunk) {
            Ok(step) => step,
            Err(error) => return Some(format!("it is cut off or damaged ({error})")),
        };
        packed = &packed[step.input_consumed()..];
        if let Some(problem) = keep(&chunk[..step.output_produced()], out, bound) {
            return Some(problem);
        }
        if step.is_end_of_stream() {
            let padding = packed.iter().take_while(|b| **b == 0).count();
            packed = &packed[padding..];
            if packed.is_empty() {
                return None;
            }
            decoder.reset();
        } else if !step.made_progress() {
            return Some("it is cut off".to_owned());
        }
    }
}

/// zstd files made by parallel tools hold many frames, and the decoder reads one.
fn unpack_zstd(mut packed: &[u8], out: &mut Vec<u8>, bound: u64) -> Option<String> {
    while !packed.is_empty() {
        let before = packed.len();
        if let [kind @ 0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, rest @ ..] = packed {
            let size = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
            let _ = kind;
            packed = rest.get(size..).unwrap_or(&[]);
            continue;
        }
        match ruzstd::decoding::StreamingDecoder::new(&mut packed) {
            Ok(decoder) => {
                if let Some(problem) = drain(decoder, out, bound) {
                    return Some(problem);
                }
            }
            Err(error) => return Some(error.to_string()),
        }
        if packed.len() == before {
            return Some("a frame of no length".to_owned());
        }
    }
    None
}

fn drain(mut from: impl Read, out: &mut Vec<u8>, bound: u64) -> Option<String> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => return None,
            Ok(n) => {
                if let Some(problem) = keep(&chunk[..n], out, bound) {
                    return Some(problem);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Some(format!("it is cut off or damaged ({error})")),
        }
    }
}

/// Appends up to the bound; says so when the bound is reached.
fn keep(chunk: &[u8], out: &mut Vec<u8>, bound: u64) -> Option<String> {
    let room = bound.saturating_sub(out.len() as u64);
    if chunk.len() as u64 > room {
        out.extend_from_slice(&chunk[..room as usize]);
        return Some(format!(
            "it unpacks to more than {bound} bytes, which looks like an archive bomb"
        ));
    }
    out.extend_from_slice(chunk);
    None
}
