// SPDX-License-Identifier: MIT
//! gzip, xz, zstd and text of 16-bit characters, with an eye on bombs and on files that end too early.

use std::io::Read;

use super::packing::Packing;
use super::unpacking;
use crate::options::Limits;

/// Below this size an archive may have any ratio: a log full of one character is not an attack.
pub const HARMLESS_BYTES: u64 = 16 << 20;
const CHUNK_BYTES: usize = 64 << 10;

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
    let by_ratio = (packed.len() as u64).saturating_mul(limits.archive_ratio);
    let bound = limits.input_bytes.min(by_ratio.max(HARMLESS_BYTES));
    let mut bytes = Vec::new();
    let problem = drain(unpacking::stream(packed, packing), &mut bytes, bound).map(|why| {
        let (name, length) = (packing.name(), bytes.len());
        format!("{name} archive: {why}; took the {length} bytes before it")
    });
    Unpacked { bytes, problem }
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
