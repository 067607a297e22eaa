// SPDX-License-Identifier: MIT
//! `kernel_pacct`: process accounting, version 3.
//!
//! Format: `struct acct_v3` in `include/uapi/linux/acct.h`, 64 bytes, here in little-endian order.

use std::io::{self, Read};

use serde::Serialize;

use crate::readers::skipped::Skipped;

const RECORD: usize = 64;
const MAX_RECORDS: usize = 1_000_000;
/// `AHZ`: 100 ticks a second.
const TICK_NS: u64 = 10_000_000;

/// A process that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Accounted {
    /// Process.
    pub pid: u32,
    /// Its parent.
    pub parent: u32,
    /// Command, up to 15 characters.
    pub comm: String,
    /// Start, seconds since 1970 on the machine's wall clock (a third clock: not comparable with the samples).
    pub started_wall_s: u32,
    /// From start to end, nanoseconds.
    pub elapsed_ns: u64,
    /// On the processor, nanoseconds.
    pub cpu_ns: u64,
    /// Exit code as `wait()` gives it.
    pub exit_code: u32,
}

/// The kernel's 16-bit float: 13 bits of value, 3 bits of exponent to base 8.
fn comp(value: u16) -> u64 {
    u64::from(value & 0x1fff) << (3 * u32::from(value >> 13))
}

fn record(bytes: &[u8; RECORD]) -> Option<Accounted> {
    if bytes[1] & 0x7f != 3 {
        return None;
    }
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let comm = &bytes[48..64];
    let comm = &comm[..memchr::memchr(0, comm).unwrap_or(comm.len())];
    let elapsed = f64::from(f32::from_bits(word(28)));
    Some(Accounted {
        exit_code: word(4),
        pid: word(16),
        parent: word(20),
        started_wall_s: word(24),
        // The float may be anything in a damaged file; the conversion saturates, and NaN becomes 0.
        elapsed_ns: (elapsed * TICK_NS as f64) as u64,
        cpu_ns: comp(half(32)).saturating_add(comp(half(34))).saturating_mul(TICK_NS),
        comm: String::from_utf8_lossy(comm).into_owned(),
    })
}

/// All records.
pub fn read(reader: &mut impl Read, skipped: &mut Skipped) -> io::Result<Vec<Accounted>> {
    let mut found = Vec::new();
    loop {
        let mut bytes = Vec::with_capacity(RECORD);
        reader.by_ref().take(RECORD as u64).read_to_end(&mut bytes)?;
        let Ok(bytes) = <[u8; RECORD]>::try_from(bytes.as_slice()) else {
            skipped.add("accounting record cut off", u64::from(!bytes.is_empty()));
            return Ok(found);
        };
        match record(&bytes) {
            Some(process) if found.len() < MAX_RECORDS => found.push(process),
            Some(_) => skipped.add("more accounting records than are kept", 1),
            None => skipped.add("accounting record of another version", 1),
        }
    }
}
