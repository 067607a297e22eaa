// SPDX-License-Identifier: MIT
//! Stamps that firmware and boot loaders put before their lines, other than the bracketed seconds that kernels have too.

use super::stamp::{clock_time, digits, seconds};
use super::style::Style;

const NS_PER_MS: i64 = 1_000_000;

/// Reads one stamp: ns, length with the blank that is its own.
pub fn read(bytes: &[u8], style: Style) -> Option<(i64, usize)> {
    match bytes.first()? {
        b'M' => videocore(bytes),
        b'{' => samsung(bytes),
        b'[' if style.loader_ms => milliseconds(bytes),
        b'0'..=b'9' => hostboot(bytes)
            .or_else(|| raspberry(bytes).filter(|_| style.raspberry))
            .or_else(|| since_start(bytes).filter(|_| style.own_clock)),
        _ => None,
    }
}

/// `5.47338|` of POWER's Hostboot, whose lines are indented.
fn hostboot(bytes: &[u8]) -> Option<(i64, usize)> {
    let (ns, used, decimals) = seconds(bytes)?;
    (decimals == 5 && bytes.get(used) == Some(&b'|')).then_some((ns, used + 1))
}

/// `00:00:28 ` of a loader that counts from its own start, in whole seconds.
pub fn since_start(bytes: &[u8]) -> Option<(i64, usize)> {
    let (ns, used) = clock_time(bytes)?;
    (used == 8 && bytes.get(8) == Some(&b' ') && bytes.get(9).is_some_and(u8::is_ascii_alphabetic)).then_some((ns, 9))
}

/// `MESS:00:00:02.168557:0: ` of the Raspberry Pi's start.elf (`uart_2ndstage=1`): since the reset.
fn videocore(bytes: &[u8]) -> Option<(i64, usize)> {
    let rest = bytes.strip_prefix(b"MESS:")?;
    let (ns, used) = clock_time(rest).filter(|(_, used)| *used > 9)?;
    let (_, core) = digits(rest.get(used + 1..)?)?;
    let end = used + 1 + core;
    (rest[used] == b':' && rest.get(end) == Some(&b':'))
        .then(|| (ns, 5 + end + 1 + usize::from(rest.get(end + 1) == Some(&b' '))))
}

/// `{ 4041738 }[ XBL ] ` and `{530608} ` of the loaders of Samsung's phones: microseconds since the reset.
fn samsung(bytes: &[u8]) -> Option<(i64, usize)> {
    let open = 1 + usize::from(bytes.get(1) == Some(&b' '));
    let (us, used) = digits(bytes.get(open..)?)?;
    let mut at = open + used;
    at += usize::from(bytes.get(at) == Some(&b' '));
    if bytes.get(at) != Some(&b'}') || used < 4 {
        return None;
    }
    at += 1;
    for program in [b"[ XBL ]", b"[ ABL ]"] {
        at += if bytes[at..].starts_with(program) {
            program.len()
        } else {
            0
        };
    }
    let ns = i64::try_from(us).ok()?.checked_mul(1000)?;
    Some((ns, at + usize::from(bytes.get(at) == Some(&b' '))))
}

/// `[530]` of Allwinner's boot0 and of Little Kernel, in a log where the line with the program's name has it.
fn milliseconds(bytes: &[u8]) -> Option<(i64, usize)> {
    let inside = bytes.strip_prefix(b"[")?;
    let blanks = inside.iter().take(8).take_while(|b| **b == b' ').count();
    let (ms, used) = digits(&inside[blanks..]).filter(|(_, used)| *used <= 7)?;
    let end = 1 + blanks + used;
    if bytes.get(end) != Some(&b']') {
        return None;
    }
    let ns = i64::try_from(ms).ok()?.checked_mul(NS_PER_MS)?;
    Some((ns, end + 1 + usize::from(bytes.get(end + 1) == Some(&b' '))))
}

/// Is this the line by which a log shows that its loader counts milliseconds in brackets?
pub fn shows_milliseconds(bytes: &[u8]) -> bool {
    const NAMES: [&[u8]; 6] = [
        b"HELLO! BOOT0",
        b"DRAM BOOT DRIVE INFO",
        b"BOOT0 commit",
        b"welcome to lk",
        b"Android Bootloader",
        b"fes begin commit",
    ];
    milliseconds(bytes).is_some_and(|(_, used)| NAMES.iter().any(|name| bytes[used..].starts_with(name)))
}

/// `3.42 ` of the Raspberry Pi 5's loader. Only the seconds are taken: the two digits behind the point are hundredths in
/// some lines and the last two of the milliseconds in others (3.42 stands for 3.542).
fn raspberry(bytes: &[u8]) -> Option<(i64, usize)> {
    let (ns, used, decimals) = seconds(bytes)?;
    let whole = ns - ns.rem_euclid(1000 * NS_PER_MS);
    (decimals == 2 && bytes.get(used) == Some(&b' ')).then_some((whole, used + 1))
}

/// Is this the line by which a log shows that it has the stamps of a Raspberry Pi 5's loader?
pub fn shows_raspberry(bytes: &[u8]) -> bool {
    raspberry(bytes).is_some_and(|(_, used)| bytes[used..].starts_with(b"RPi: BOOT"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_loaders_stamp() {
        let style = Style {
            loader_ms: true,
            raspberry: true,
            ..Style::default()
        };
        for (text, ns, length) in [
            ("5.47338|ISTEP", 5_473_380_000, 8),
            ("MESS:00:01:02.168557:0: brfs", 62_168_557_000, 24),
            ("{ 4041738 }[ XBL ] Start EBS", 4_041_738_000, 19),
            ("{530608} SBL1, End", 530_608_000, 9),
            ("[530]Jump to second Boot.", 530_000_000, 5),
            ("[  530] target_init()", 530_000_000, 8),
            ("3.42 BOOTMODE: 0x06", 3_000_000_000, 5),
        ] {
            assert_eq!(read(text.as_bytes(), style), Some((ns, length)), "{text}");
        }
        for text in [
            "MESS:00:00",
            "MESS:00:00:02:0: x",
            "{12} x",
            "{ 4041738",
            "[530",
            "[]",
            "3.4 x",
        ] {
            assert_eq!(read(text.as_bytes(), style), None, "{text}");
        }
        assert_eq!(read(b"[530]text", Style::default()), None);
        assert_eq!(read(b"3.42 text", Style::default()), None);
        assert!(shows_milliseconds(b"[24]HELLO! BOOT0 is starting!") && !shows_milliseconds(b"[24]HELLO"));
        assert!(shows_raspberry(b"0.54 RPi: BOOTSYS release VERSION:2bb2ae64"));
    }
}
