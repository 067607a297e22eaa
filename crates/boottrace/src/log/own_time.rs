// SPDX-License-Identifier: MIT
//! Lines of firmware that tell in their own words when they were printed.

/// ns since the reset, by the firmware's clock.
pub fn own_time(text: &str) -> Option<i64> {
    let us = match text.as_bytes().first()? {
        b'B' if text.starts_with("B - ") => qualcomm(text)?,
        b'B' if text.starts_with("BOOTMODE: ") => system_timer(text)?,
        // The other lines with an S are sizes and settings.
        b'S' if text.ends_with(" - PBL, End") => qualcomm(text)?,
        b'U' | b'S' | b'E' | b'P' | b' ' => uefi_ms(text)?.checked_mul(1000)?,
        _ => return None,
    };
    us.checked_mul(1000)
}

/// `B -     81008 - SBL1, Start` of Qualcomm's boot loaders: microseconds.
fn qualcomm(text: &str) -> Option<i64> {
    let (value, _) = text.get(4..)?.trim_start().split_once(" - ")?;
    value.trim_end().parse().ok()
}

/// `UEFI Start     [  744]`, `Exit EBS        [ 4051] UEFI End` of Qualcomm's UEFI: milliseconds.
fn uefi_ms(text: &str) -> Option<i64> {
    const NAMES: [&str; 5] = ["UEFI Start ", "Start EBS ", "Exit EBS ", "Platform Init ", " - 0x"];
    if !NAMES.iter().any(|name| text.starts_with(name)) {
        return None;
    }
    let (name, rest) = text.split_once('[')?;
    let (value, _) = rest.split_once(']')?;
    if name.len() > 24 || !name.ends_with(' ') {
        return None;
    }
    value.trim_start().parse().ok()
}

/// `BOOTMODE: 0x06 ... stc 3542300` of the Raspberry Pi's boot loader: the system timer, in microseconds.
fn system_timer(text: &str) -> Option<i64> {
    text.rsplit_once(" stc ")?.1.trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_words() {
        for (text, ns) in [
            ("B -     81008 - SBL1, Start", Some(81_008_000)),
            ("S -  93028673 - PBL, End", Some(93_028_673_000)),
            ("UEFI Start     [  744]", Some(744_000_000)),
            (" - 0x09FC01000 [  748] Sec.efi", Some(748_000_000)),
            ("Exit EBS        [ 4051] UEFI End", Some(4_051_000_000)),
            (
                "BOOTMODE: 0x06 partition 0 boardrev d04170 stc 1031956",
                Some(1_031_956_000),
            ),
            ("D -      7625 - sbl1_hw_platform_pre_ddr", None),
            ("S - PBL freq: 600 MHZ", None),
            ("S - Flash Throughput, 217000 KB/s  (6551158 Bytes,  30060 us)", None),
            ("Exit EBS [x]", None),
            ("B - ", None),
        ] {
            assert_eq!(own_time(text), ns, "{text}");
        }
    }
}
