// SPDX-License-Identifier: MIT
//! Kernel messages that mark a step of the boot.

use super::hints::is_start_job;

/// A step, recognised by its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Milestone {
    /// `Linux version 6.1 (...)`.
    KernelBanner,
    /// `Booting Linux on physical CPU 0x0`.
    BootingLinux,
    /// `Freeing unused kernel memory` and its older and newer forms.
    FreeingInit,
    /// What the kernel still does between that and init (init/main.c: `kernel_init`, `mark_readonly`).
    ClosingStep,
    /// `Run /init as init process`.
    InitStarted,
    /// init itself speaks: `systemd[1]: ...`, `INIT: version`, `init started: BusyBox`, Android's `init: ...`.
    InitRunning,
    /// `clocksource: Switched to clocksource tsc`.
    ClocksourceSwitch,
}

/// A status of systemd's: `[  OK  ]`, `[FAILED]`, `[ TIME ]`, `[DEPEND]`, and `[***   ]` while it waits.
fn is_status(text: &str) -> bool {
    ["[  OK  ] ", "[FAILED] ", "[ TIME ] ", "[DEPEND] "]
        .iter()
        .any(|status| text.starts_with(status))
        || (is_start_job(text)
            && text
                .get(1..7)
                .is_some_and(|state| state.trim_matches(' ').bytes().all(|b| b == b'*')))
}

/// The kernel's word about a program that asked for random numbers before they were there: user space runs. What the
/// kernel starts itself may run before init (drivers/char/random.c, `urandom_read()`).
fn is_program(text: &str) -> bool {
    const HELPERS: [&str; 8] = [
        "modprobe",
        "kmod",
        "hotplug",
        "mdev",
        "sh",
        "crda",
        "v86d",
        "request-key",
    ];
    let name = text
        .strip_prefix("random: ")
        .and_then(|rest| rest.split_once(": uninitialized urandom read ("));
    name.is_some_and(|(name, _)| !HELPERS.contains(&name))
}

/// Is the text nearer to init than what was taken for its sign before? A program shows only that init had started.
pub fn is_nearer(before: Option<&str>, text: &str) -> bool {
    let helper = |text: &str| is_program(text) || text.starts_with("udevd[") || text.starts_with("systemd-udevd[");
    before.is_none_or(|before| helper(before) && !helper(text))
}

/// `systemd-udevd[107]: `, `systemd-tpm2-setup[621]: `: a program that systemd started.
fn is_process_of_systemd(text: &str) -> bool {
    let named = text.starts_with("systemd-").then(|| text.split_once("]: ")).flatten();
    named
        .and_then(|(who, _)| who.split_once('['))
        .is_some_and(|(name, pid)| {
            let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            plain && !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit())
        })
}

/// Recognises a milestone at the start of a message.
pub fn of(text: &str) -> Option<Milestone> {
    let text = text.trim_start();
    match text.as_bytes().first()? {
        b'L' => text
            .strip_prefix("Linux version ")
            // Behind a version alone a point ends somebody's sentence.
            .filter(|rest| {
                rest.starts_with(|c: char| c.is_ascii_digit()) && (rest.contains(' ') || !rest.ends_with('.'))
            })
            .map(|_| Milestone::KernelBanner),
        b'B' => text.starts_with("Booting Linux on ").then_some(Milestone::BootingLinux),
        b'F' if text.starts_with("Freeing unused kernel image (text/rodata gap) memory")
            || text.starts_with("Freeing unused kernel image (rodata/data gap) memory") =>
        {
            Some(Milestone::ClosingStep)
        }
        b'W' => text
            .starts_with("Write protecting the kernel")
            .then_some(Milestone::ClosingStep),
        b'C' => text
            .starts_with("Checked W+X mappings")
            .then_some(Milestone::ClosingStep),
        b'x' => text
            .starts_with("x86/mm: Checked W+X mappings")
            .then_some(Milestone::ClosingStep),
        b'r' if is_program(text) => Some(Milestone::InitRunning),
        b'r' => text.starts_with("rodata_test: ").then_some(Milestone::ClosingStep),
        b'F' => (text.starts_with("Freeing unused kernel memory")
            || text.starts_with("Freeing init memory")
            || text.starts_with("Freeing unused kernel image (initmem) memory")
            || text.starts_with("Freeing unused kernel image memory"))
        .then_some(Milestone::FreeingInit),
        b'R' => (text.starts_with("Run /") && text.ends_with(" as init process")).then_some(Milestone::InitStarted),
        b's' => (text.starts_with("systemd[1]: ") || is_process_of_systemd(text)).then_some(Milestone::InitRunning),
        b'p' => text.starts_with("procd: ").then_some(Milestone::InitRunning),
        b'u' => text.starts_with("udevd[").then_some(Milestone::InitRunning),
        // systemd's and OpenRC's own words, when the kernel's log is not on the console.
        b'[' => is_status(text).then_some(Milestone::InitRunning),
        b'O' => (text.starts_with("OpenRC ") && text.contains(" is starting up")).then_some(Milestone::InitRunning),
        b'I' => text.starts_with("INIT: version ").then_some(Milestone::InitRunning),
        b'i' => {
            (text.starts_with("init started: BusyBox") || text.starts_with("init: ")).then_some(Milestone::InitRunning)
        }
        b'c' => text
            .starts_with("clocksource: Switched to clocksource ")
            .then_some(Milestone::ClocksourceSwitch),
        b'S' => text
            .starts_with("Switched to clocksource ")
            .then_some(Milestone::ClocksourceSwitch),
        _ => None,
    }
}
