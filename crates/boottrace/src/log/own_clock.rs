// SPDX-License-Identifier: MIT
//! Whether a log without other stamps has a loader's own clock in it: `00:00:28 Added 4096 bytes of entropy`.

use super::clock::NS_PER_S;
use super::firmware_stamp::since_start;

/// Lines with such a time that are believed.
const MIN_LINES: u32 = 3;
/// The loader's first words come right after its start.
const FIRST_NS: i64 = 3 * NS_PER_S;

/// What the lines so far say about it.
#[derive(Default)]
pub struct OwnClock {
    lines: u32,
    last_ns: i64,
    refuted: bool,
}

impl OwnClock {
    /// Takes one line; `stamped`: it has a stamp of another kind.
    pub fn line(&mut self, bytes: &[u8], stamped: bool) {
        self.refuted |= stamped;
        let Some((ns, _)) = since_start(bytes) else { return };
        self.refuted |= ns < self.last_ns || (self.lines == 0 && ns > FIRST_NS);
        self.lines += 1;
        self.last_ns = ns;
    }

    /// Is there one, which begins at nought, moves, and never goes back?
    pub fn learned(&self) -> bool {
        !self.refuted && self.lines >= MIN_LINES && self.last_ns > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(lines: &[&str]) -> bool {
        let mut clock = OwnClock::default();
        for line in lines {
            clock.line(line.as_bytes(), line.starts_with('['));
        }
        clock.learned()
    }

    #[test]
    fn counts_from_its_start() {
        assert!(learned(&["RedBoot", "00:00:00 Stage 1", "00:00:01 x", "00:00:28 y"]));
        assert!(!learned(&["10:00:00 a", "10:00:01 b", "10:00:02 c"]), "a time of day");
        assert!(!learned(&["00:00:00 a", "00:00:05 b", "00:00:01 c"]), "it goes back");
        assert!(!learned(&["00:00:00 a", "00:00:00 b", "00:00:00 c"]), "it stands still");
        assert!(!learned(&[
            "00:00:00 a",
            "[    0.000000] b",
            "00:00:01 c",
            "00:00:02 d"
        ]));
        assert!(!learned(&["00:00:00 a", "00:00:01 b"]));
    }
}
