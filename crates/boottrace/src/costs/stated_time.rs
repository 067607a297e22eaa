// SPDX-License-Identifier: MIT
//! Lines that say themselves how long they took: `N pages in 1020ms`, `Delay 11 seconds`, `returned 0 after 1076177 usecs`.

/// Longer times are ages or dates.
pub(super) const LONGEST_NS: i64 = 3_600_000_000_000;

/// The longest time that a line states, in nanoseconds: a number with a unit of time behind a word such as `in`, `after`,
/// `took` or `Delay`. `ahead`: only a time that still lies before it.
pub(super) fn stated_ns(text: &str, ahead: bool) -> Option<i64> {
    // systemd sums up the whole start, and Android's init goes on beside a service.
    if text.contains("Startup finished in ") || text.trim_end().ends_with(" in background") {
        return None;
    }
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    (0..words.len()).filter_map(|at| time_at(&words, at, ahead)).max()
}

/// Does a line say that what it tells of took next to no time: `wait for 'frob' took 0ms`? Then nobody has waited.
pub(super) fn took_no_time(text: &str) -> bool {
    const SHORT_NS: f64 = 100e6;
    let mut words = text.split_ascii_whitespace().skip_while(|word| *word != "took").skip(1);
    let (word, next) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let end = word
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(word.len());
    let (number, unit) = word.split_at(end);
    let unit = if unit.is_empty() { next } else { unit };
    let unit = unit_ns(unit.trim_end_matches(['.', ',', ')', ';']));
    number
        .parse::<f64>()
        .ok()
        .zip(unit)
        .is_some_and(|(number, unit)| number * unit < SHORT_NS)
}

/// The time that begins with a word: `1020ms`, `20.1s`, `11 seconds`, `461 ms`.
fn time_at(words: &[&str], at: usize, ahead: bool) -> Option<i64> {
    let word = words[at].trim_matches(['(', ')', ',', ';', '[', ']', ':']);
    let from_number = word.find(|c: char| c.is_ascii_digit())?;
    if from_number != 0 || !is_announced(words, at, ahead) {
        return None;
    }
    length(word, words.get(at + 1).copied(), &['.', ',', ')', ';', '!', ']', ':'])
}

/// How long a word with a number says it takes, nanoseconds; its unit ends it, or is the next word.
pub(super) fn length(word: &str, next: Option<&str>, closing: &[char]) -> Option<i64> {
    let end = word
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(word.len());
    let number: f64 = word[..end].parse().ok()?;
    let unit = if end < word.len() { &word[end..] } else { next? };
    let ns = number * unit_ns(unit.trim_end_matches(closing))?;
    (ns >= 1.0 && ns <= LONGEST_NS as f64).then_some(ns as i64)
}

/// Does a word in front say that a time of its own follows?
fn is_announced(words: &[&str], at: usize, ahead: bool) -> bool {
    const PAST: [&str; 9] = [
        "after", "took", "takes", "time", "elapsed", "of", "within", "overall", "total",
    ];
    const EITHER: [&str; 6] = ["in", "delay", "for", "wait", "waiting", "sleeping"];
    // What is over lies before the line: `read in 11689 ms`.
    const OVER: [&str; 8] = [
        "read",
        "done",
        "loaded",
        "finished",
        "completed",
        "ready",
        "initialised",
        "initialized",
    ];
    let plain = |word: &str| word.trim_end_matches([':', '=', ',']).to_ascii_lowercase();
    let over = ahead && words[..at].iter().any(|word| OVER.contains(&plain(word).as_str()));
    words[at.saturating_sub(2)..at].iter().any(|word| {
        let word = plain(word);
        (!over && EITHER.contains(&word.as_str())) || (!ahead && PAST.contains(&word.as_str()))
    })
}

fn unit_ns(unit: &str) -> Option<f64> {
    Some(match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => 1e9,
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => 1e6,
        "us" | "usec" | "usecs" | "microseconds" => 1e3,
        "ns" | "nsec" | "nsecs" | "nanoseconds" => 1.0,
        "min" | "minute" | "minutes" => 60e9,
        "hour" | "hours" => 3600e9,
        _ => return None,
    })
}

/// `to timeout after 1 second`, and the same where a line was broken in a sentence, set a limit: none ran out.
pub(super) fn sets_a_limit(words: &[&str], before: &str) -> bool {
    let sentence = || words.last().is_some_and(|word| word.ends_with('.'));
    before == "to" || (before.is_empty() && sentence())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_lines_state() {
        let told = [
            ("node 0 initialised, 32136731 pages in 1020ms", 1_020_000_000),
            ("Delay 11 seconds to wait for disk 2 ready.", 11_000_000_000),
            ("probe of 4a0000.usb returned 0 after 1076177 usecs", 1_076_177_000),
            ("Decompressing kernel image total time: 461 ms", 461_000_000),
            ("Apply Overlay total time: 397 ms", 397_000_000),
            ("Finished loading in 20.1s", 20_100_000_000),
            (
                "quux: lock (#1) on CPU#0, waiting 5001000000 ns for CPU#1",
                5_001_000_000,
            ),
            (
                "Overall: 28129 ms, ubifs = 405 ms, rootfs 18370568 bytes read in 11689 ms (1534 KiB/s)",
                28_129_000_000,
            ),
        ];
        for (line, ns) in told {
            assert_eq!(stated_ns(line, false), Some(ns), "{line}");
        }
    }

    #[test]
    fn times_that_lie_ahead() {
        assert_eq!(
            stated_ns("Delay 11 seconds to wait for disk 2 ready.", true),
            Some(11_000_000_000)
        );
        assert_eq!(stated_ns("rootfs 18370568 bytes read in 11689 ms", true), None);
        assert_eq!(stated_ns("probe returned 0 after 1076177 usecs", true), None);
    }

    #[test]
    fn waits_that_are_none() {
        for line in ["wait for '/frob' took 0ms", "waiting took 0.02 s.", "(wait took 0 ms)"] {
            assert!(took_no_time(line), "{line}");
        }
        for line in [
            "wait for '/frob' took 777ms",
            "it took",
            "it took 0 tries",
            "waits 0ms",
            "",
        ] {
            assert!(!took_no_time(line), "{line}");
        }
    }

    #[test]
    fn numbers_that_are_no_time() {
        let none = [
            "tsc: Refined TSC clocksource calibration: 1996.801 MHz",
            "ata1: SATA link up 3.0 Gbps (SStatus 123 SControl F300)",
            "usb 1-1: new high-speed USB device number 2",
            "sched_clock: 32 bits at 24MHz, resolution 41ns, wraps every 89478484971ns",
            "",
            "in",
            "took 99999999999999999999999999 seconds",
            "systemd[1]: Startup finished in 1.402s (kernel) + 4.000s (userspace) = 5.402s.",
        ];
        for line in none {
            assert_eq!(stated_ns(line, false), None, "{line}");
        }
    }
}
