// SPDX-License-Identifier: MIT
//! Whether a boot goes through an initramfs, and where it hands over to the real root file system.

use crate::facts::kernel::facts::KernelFacts;
use crate::log::boot_log::BootLog;
use crate::log::hints::is_of_initramfs;
use crate::log::line::Line;

/// Words that only scripts of an initramfs print.
const SCRIPTS: [&str; 10] = [
    "+ exec switch_root ",
    "exec switch_root ",
    "[  OK  ] Reached target Switch Root",
    "Starting initramfs",
    "Loading, please wait...",
    "Begin: Running /scripts/",
    "dracut: ",
    "dracut-cmdline[",
    "systemd[1]: Running in initial RAM disk",
    "systemd[1]: Running in initrd",
];

/// The line that shows that init ran in an initramfs first.
pub(super) fn initramfs<'a>(boot: &'a BootLog, kernel: &KernelFacts) -> Option<&'a Line> {
    let user = boot.user_from?;
    let (start, _) = kernel.user_space_line()?;
    let before = &boot.lines[..user];
    // A kernel that mounted the root file system itself ran no initramfs; one that unpacked a file and did not, did.
    let mounted = before.iter().any(|l| l.text.contains("VFS: Mounted root ("));
    if let Some(program) = kernel.init.as_ref().and_then(|init| init.program.as_deref()) {
        return (program == "/init" && !mounted).then(|| line(boot, start)).flatten();
    }
    let image = before.iter().any(|l| {
        let text = l.text.trim_start();
        ["Trying to unpack rootfs image as initramfs", "Unpacking initramfs"]
            .iter()
            .any(|words| text.starts_with(words))
    });
    let refused = before
        .iter()
        .any(|l| l.text.contains("rootfs image is not initramfs") || l.text.contains("Initramfs unpacking failed"));
    let scripts = boot.lines[user..]
        .iter()
        .take(400)
        .find(|l| SCRIPTS.iter().any(|words| said(l).starts_with(words)));
    match scripts {
        Some(line) if !mounted => Some(self::line(boot, start).unwrap_or(line)),
        None if image && !mounted && !refused && boot.kernel_from.is_some() => line(boot, start),
        _ => None,
    }
}

/// How the programs of an initramfs say that they change to the real root file system.
const SWITCHES: [&str; 8] = [
    "+ exec switch_root ",
    "exec switch_root ",
    "[  OK  ] Reached target Switch Root",
    "Starting Switch Root",
    "systemd[1]: Switching root",
    "init: Switching root to ",
    "Switching root to ",
    "dracut: Switching root",
];

/// The first line that the init of the real root file system prints, or the last one of the initramfs; `true` when the
/// change itself came no later than that line.
pub(super) fn switch_root<'a>(boot: &'a BootLog, from: &Line) -> Option<(&'a Line, bool)> {
    let user = boot.lines.iter().skip_while(|l| l.number < from.number);
    let mut managers = 0;
    let in_ram = boot
        .lines
        .iter()
        .any(|l| said(l).contains("Running in initial RAM disk") || said(l).contains("Running in initrd"));
    let (mut spoke, mut stamped) = (None, None);
    for line in user.clone() {
        let text = said(line);
        if text.starts_with("systemd[1]: ") && !in_ram {
            let first = if line.printk_ns.is_some() {
                &mut stamped
            } else {
                &mut spoke
            };
            first.get_or_insert(line);
        }
        // systemd ends all programs of the initramfs, its journal's too, when it changes.
        let ended = in_ram
            && text.starts_with("Received SIGTERM from PID 1")
            && line
                .process
                .as_deref()
                .is_some_and(|name| name.ends_with("systemd-journald"));
        let ended = ended
            || (in_ram && text.starts_with("systemd-journald[") && text.contains("]: Received SIGTERM from PID 1"));
        if ended || SWITCHES.iter().any(|start| text.starts_with(start)) {
            return Some((line, false));
        }
        if text.starts_with("systemd[1]: systemd ") && text.contains(" running in system mode") {
            managers += 1;
            // dracut runs a systemd of its own before; initramfs-tools and mkinitcpio's scripts do not. A kernel that saves
            // another's memory has no other.
            let alone = managers == 1 && saves_a_dump(boot);
            if managers == 1 + usize::from(in_ram) && !alone {
                // It sets the clock and loads modules before it says its name. What a daemon wrote of it among the kernel's
                // lines has the place at which it was read, and no other.
                let first = if line.printk_ns.is_some() { stamped } else { spoke };
                return Some((first.unwrap_or(line), true));
            }
        }
        if text.starts_with("<<< NixOS Stage 2 >>>") {
            return Some((line, true));
        }
        if text.starts_with("INIT: version ") || text.starts_with("init started: BusyBox") {
            return Some((line, true));
        }
        if text.starts_with("OpenRC ") && text.contains(" is starting up") {
            return Some((line, true));
        }
    }
    None
}

/// Was the kernel started to save the memory of one that failed (Documentation/admin-guide/kdump)?
fn saves_a_dump(boot: &BootLog) -> bool {
    let line = boot
        .lines
        .iter()
        .find(|line| said(line).starts_with("Kernel command line: "));
    line.is_some_and(|line| line.text.contains(" elfcorehdr="))
}

/// Where nothing shows a change to the real root file system: does the initramfs' own systemd start this unit, or do its
/// programs still speak behind it?
pub(super) fn goes_on(user: &[Line], from: &Line) -> bool {
    let in_ram =
        |line: &Line| said(line).contains("Running in initial RAM disk") || said(line).contains("Running in initrd");
    user.iter()
        .any(|line| in_ram(line) || (line.number >= from.number && is_of_initramfs(line)))
}

fn line(boot: &BootLog, number: u32) -> Option<&Line> {
    let at = boot.lines.partition_point(|l| l.number < number);
    boot.lines.get(at).filter(|l| l.number == number)
}

/// A line's text with the process that said it, whichever prefix the log's form has.
fn said(line: &Line) -> std::borrow::Cow<'_, str> {
    match line.process.as_deref() {
        Some("systemd") => format!("systemd[1]: {}", line.text.trim_start()).into(),
        _ => line.text.trim_start().into(),
    }
}
