//! Kernel messages that mark a step of the boot.

/// A step, recognised by its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Milestone {
    /// `Linux version 6.1 (...)`.
    KernelBanner,
    /// `Booting Linux on physical CPU 0x0`.
    BootingLinux,
    /// `Freeing unused kernel memory` and its older and newer forms.
    FreeingInit,
    /// `Run /init as init process`.
    InitStarted,
    /// init itself speaks: `systemd[1]: ...`, `INIT: version`, `init started: BusyBox`, Android's `init: ...`.
    InitRunning,
    /// `clocksource: Switched to clocksource tsc`.
    ClocksourceSwitch,
}

/// Recognises a milestone at the start of a message.
pub fn of(text: &str) -> Option<Milestone> {
    let text = text.trim_start();
    match text.as_bytes().first()? {
        b'L' => text
            .strip_prefix("Linux version ")
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            .map(|_| Milestone::KernelBanner),
        b'B' => text.starts_with("Booting Linux on ").then_some(Milestone::BootingLinux),
        b'F' => (text.starts_with("Freeing unused kernel memory")
            || text.starts_with("Freeing init memory")
            || text.starts_with("Freeing unused kernel image (initmem) memory")
            || text.starts_with("Freeing unused kernel image memory"))
        .then_some(Milestone::FreeingInit),
        b'R' => (text.starts_with("Run /") && text.ends_with(" as init process")).then_some(Milestone::InitStarted),
        b's' => text.starts_with("systemd[1]: ").then_some(Milestone::InitRunning),
        // systemd's and OpenRC's own words, when the kernel's log is not on the console.
        b'[' => (text.starts_with("[  OK  ] ") || text.starts_with("[FAILED] ")).then_some(Milestone::InitRunning),
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
