// SPDX-License-Identifier: MIT
//! Files that people give by mistake: said by name, instead of a table of unreadable lines.

use super::userspace::systemd_plot;

/// Magic bytes, where they stand, what they are, and what to do instead.
const KINDS: &[(&[u8], usize, &str)] = &[
    (b"\x7fELF", 0, "an ELF program, library or vmlinux, not a log"),
    (
        b"HdrS",
        0x202,
        "an x86 kernel image (bzImage), not a log; its console log is what is needed",
    ),
    (
        b"ARM\x64",
        56,
        "an arm64 kernel image, not a log; its console log is what is needed",
    ),
    (
        b"\x18\x28\x6f\x01",
        36,
        "an arm kernel image (zImage), not a log; its console log is what is needed",
    ),
    (
        b"RISCV\0\0\0",
        48,
        "a RISC-V kernel image, not a log; its console log is what is needed",
    ),
    (b"\x27\x05\x19\x56", 0, "a U-Boot image (uImage), not a log"),
    (b"\xd0\x0d\xfe\xed", 0, "a device tree or FIT image, not a log"),
    (
        b"\xff\xd8\xff",
        0,
        "a JPEG picture; a log is needed as text, photos of a screen cannot be read",
    ),
    (
        b"\x89PNG\r\n",
        0,
        "a PNG picture; a log is needed as text, photos of a screen cannot be read",
    ),
    (b"GIF8", 0, "a GIF picture; a log is needed as text"),
    (b"%PDF-", 0, "a PDF; save the log in it as text"),
    (
        b"PK\x03\x04",
        0,
        "a ZIP archive; unpack it (`unzip FILE`) and give the log in it",
    ),
    (
        b"7z\xbc\xaf\x27\x1c",
        0,
        "a 7z archive; unpack it (`7z x FILE`) and give the log in it",
    ),
    (b"BZh", 0, "bzip2 data; unpack it (`bunzip2 FILE`)"),
    (b"\x04\x22\x4d\x18", 0, "lz4 data; unpack it (`lz4 -d FILE`)"),
    (b"hsqs", 0, "a squashfs image, not a log"),
    (b"070701", 0, "a cpio archive (initramfs), not a log"),
    (
        b"ustar",
        257,
        "a tar archive without bootchart's files; unpack it (`tar xf FILE`) and give the log in it",
    ),
    (
        b"PERFILE2",
        0,
        "perf.data; print it as text with `perf script -i FILE` and give that",
    ),
    (
        b"LPKSHHRH",
        0,
        "a binary journal; print it with `journalctl --file FILE -o export` and give that",
    ),
    (b"SQLite format 3\0", 0, "a SQLite database, not a log"),
    (b"Manager: systemd ", 0, DUMP),
    (b"Timestamp firmware: ", 0, DUMP),
    (b"-> Unit ", 0, DUMP),
    ("\u{2192} Unit ".as_bytes(), 0, DUMP),
];

const DUMP: &str =
    "the states of all units (`systemd-analyze dump`), not a log; give the output of `systemd-analyze`, \
    `systemd-analyze blame` and `systemd-analyze critical-chain`";

/// What the bytes are, when they are certainly no log.
pub fn what(head: &[u8]) -> Option<&'static str> {
    KINDS
        .iter()
        .find(|(magic, at, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(magic)))
        .map(|(_, _, what)| *what)
        .or_else(|| is_drawing(head).then_some(DRAWING))
        .or_else(|| is_image(head).then_some(IMAGE))
}

const IMAGE: &str =
    "a program or an image with texts in it (as u-boot.bin), not a log; what its console prints is needed";

/// Texts that lie in a row, a NUL behind each, as programs hold them. Logs hold NULs too, but few, or many in one place.
fn is_image(head: &[u8]) -> bool {
    const FEWEST: usize = 20;
    let texts = |window: &&[u8]| window[1] == 0 && is_text(window[0]) && is_text(window[2]);
    let longer = |window: &&[u8]| window[1] == 0 && window[2] == 0 && is_text(window[0]);
    let rows = head.windows(3).filter(|window| texts(window) || longer(window)).count();
    if rows < FEWEST || rows * 1000 < head.len() {
        return false;
    }
    // UTF-16 has one at every second place; a kernel's log with damage has its stamps.
    let odd = head.iter().skip(1).step_by(2).filter(|byte| **byte == 0).count();
    let all = memchr::memchr_iter(0, head).count();
    let wide = all * 4 > head.len() && (odd * 10 > all * 9 || odd * 10 < all);
    let stamps = memchr::memmem::find_iter(head, b"\n[    ").take(3).count();
    !wide && stamps < 3 && !head.get(257..).is_some_and(|rest| rest.starts_with(b"ustar"))
}

fn is_text(byte: u8) -> bool {
    byte == b'\n' || (b' '..=b'~').contains(&byte)
}

const DRAWING: &str =
    "a drawing (SVG) of bootchart, InitViz or another tool, whose texts are drawn and not written; give \
                       the data that it was made from, such as bootchart.tgz";

/// An SVG of anything but `systemd-analyze plot`, whose text can be read.
fn is_drawing(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    let xml = text.starts_with(b"<?xml") || text.starts_with(b"<svg") || text.starts_with(b"<!DOCTYPE svg");
    xml && memchr::memmem::find(&text[..text.len().min(4096)], b"<svg").is_some()
        && systemd_plot::detect(head).is_none()
}

#[cfg(test)]
mod tests {
    use super::what;

    #[test]
    fn an_image_is_no_log() {
        let image: Vec<u8> = (0..200)
            .flat_map(|n| format!("Error %d of block {n}\n\0Starting kernel ...\0").into_bytes())
            .collect();
        assert!(what(&image).is_some_and(|what| what.contains("u-boot.bin")));
        let wide: Vec<u8> = "U-Boot 2024.01\nStarting kernel ...\n"
            .repeat(50)
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(what(&wide), None);
        let mut damaged = "U-Boot 2024.01\nStarting kernel ...\n".repeat(50).into_bytes();
        damaged.splice(40..40, vec![0_u8; 400]);
        assert_eq!(what(&damaged), None);
        assert_eq!(what(b""), None);
    }
}
