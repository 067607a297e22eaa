//! Boot loaders that say no name: by what else they say, their lines belong to the boot that follows.

use crate::log::banner::looks_like_loader;
use crate::log::boot_log::BootLog;
use crate::log::line::{Line, LineKind};

/// Lines before the kernel's banner that are searched for a boot loader's words.
const LINES_OF_HANDOVER: usize = 12;

/// Words of boot loaders near the end of what they print; a report or a mail around a log has none of them.
pub fn ends_like_loader(outside: &[Line]) -> bool {
    const WORDS: [&str; 12] = [
        "compress",
        "jump",
        "booting ",
        "boot from",
        "entry point",
        "load kernel",
        "loading kernel",
        "loading linux",
        "starting kernel",
        "kernel image",
        "image found",
        "boot image",
    ];
    // What stands before a tool's or a person's lines is not claimed either.
    let machine = outside
        .iter()
        .rev()
        .take_while(|l| !matches!(l.kind, LineKind::Harness | LineKind::Typed));
    let last = machine.filter(|l| l.kind == LineKind::Outside);
    let said: Vec<String> = last
        .take(LINES_OF_HANDOVER)
        .map(|l| l.text.to_ascii_lowercase())
        .collect();
    // A command typed at a prompt stands right before its output.
    let typed = said
        .first()
        .is_some_and(|text| text.contains("dmesg") || text.contains("journalctl"));
    !typed && said.iter().any(|text| WORDS.iter().any(|word| text.contains(word)))
}

/// Where a loader that said no name began to speak, behind the last stamped line of the boot that another one follows.
pub fn loader_from(boot: &BootLog) -> Option<usize> {
    let last = boot.lines.iter().rposition(Line::has_kernel_prefix)?;
    let said = &boot.lines[last].text;
    let after = last + 1;
    if ["estarting system", "ebooting", "eboot: "]
        .iter()
        .any(|word| said.contains(word))
    {
        return (after < boot.lines.len()).then_some(after);
    }
    let found = boot.lines[after..].iter().position(|l| looks_like_loader(&l.text))?;
    Some(after + found)
}
