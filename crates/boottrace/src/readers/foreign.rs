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
];

/// What the bytes are, when they are certainly no log.
pub fn what(head: &[u8]) -> Option<&'static str> {
    KINDS
        .iter()
        .find(|(magic, at, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(magic)))
        .map(|(_, _, what)| *what)
        .or_else(|| is_drawing(head).then_some(DRAWING))
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
