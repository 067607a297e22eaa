// SPDX-License-Identifier: MIT
//! What events, stages, ends and bases are called.

use boottrace::costs::cost::Basis;
use boottrace::document::boot::Boot;
use boottrace::facts::boot::end::EndKind;
use boottrace::facts::boot::gap::BootPart;
use boottrace::facts::boot::stage::{Stage, StageEvent, UseSign};
use boottrace::facts::kernel::initcall::CallFlag;
use boottrace::facts::services::Manager;
use serde::Serialize;

/// The name of a value of an enumeration, as JSON has it.
pub fn name<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

/// An event in a sentence.
pub fn event_words(event: StageEvent) -> &'static str {
    match event {
        StageEvent::PowerOn => "power-on",
        StageEvent::Firmware => "the firmware's first words",
        StageEvent::Decompression => "the start of decompression",
        StageEvent::KernelStart => "the kernel's first line",
        StageEvent::UserSpaceStart => "the start of user space",
        StageEvent::Initramfs => "the start of the initramfs",
        StageEvent::SwitchRoot => "the real root file system",
        StageEvent::RcScripts => "the first start script",
        StageEvent::ApplicationStart => "the application",
        StageEvent::FirstUse => "a prompt",
    }
}

/// What shows first use.
pub fn use_words(stage: &Stage) -> &'static str {
    match stage.shown_by {
        Some(UseSign::BootCompleted) => "Android's sys.boot_completed",
        Some(UseSign::Goal) => "the goal",
        _ => event_words(StageEvent::FirstUse),
    }
}

/// The stage that begins with an event, by the names that pages colour; the event itself where none does.
pub fn stage_of(event: &str) -> &str {
    match event {
        "power-on" | "firmware" => "firmware",
        "kernel-start" => "kernel",
        "user-space-start" | "switch-root" => "user space",
        "rc-scripts" => "RC scripts",
        "application-start" => "application",
        other => other,
    }
}

/// The same for a stage that systemd names.
pub fn stage_of_systemd(stage: &str) -> &str {
    match stage {
        "loader" => "boot loader",
        "initrd" => "initramfs",
        "userspace" | "systemd" => "user space",
        other => other,
    }
}

/// How the end of a boot is called.
pub fn end_words(kind: EndKind) -> &'static str {
    match kind {
        EndKind::Panic => "panic",
        EndKind::LastLine => "last line",
        EndKind::Restored => "restored or woken",
        EndKind::Kexec => "another kernel starts",
    }
}

/// How sure a gain is.
pub fn basis_words(basis: Basis) -> &'static str {
    match basis {
        Basis::Printed => "the log says so",
        Basis::Computed => "computed from this log",
        Basis::Published => "measured on another machine",
    }
}

/// How a part of a boot is called.
pub fn part_words(part: BootPart) -> &'static str {
    match part {
        BootPart::Firmware => "firmware",
        BootPart::Kernel => "kernel",
        BootPart::UserSpace => "user space",
        BootPart::Unclaimed => "not told",
    }
}

/// What is to be known about an initcall's numbers.
pub fn flag_words(flag: CallFlag) -> &'static str {
    match flag {
        CallFlag::Disagrees => "printed and true differ",
        CallFlag::SharedStart => "printed runs from another initcall's start",
        CallFlag::JiffiesClock => "printed in timer ticks",
        CallFlag::NeverReturned => "never returned",
        CallFlag::NoStart => "no start line",
        CallFlag::StampsGoBack => "stamps go back",
        CallFlag::Rejoined => "line was broken",
        CallFlag::ConsoleTime => "without the time in which the console sent its line",
    }
}

/// Who starts services, as people write it.
pub fn manager_words(manager: Manager) -> String {
    match name(&manager).as_str() {
        "scripts" => "start scripts".to_owned(),
        "openrc" => "OpenRC".to_owned(),
        "s6" => "s6-rc".to_owned(),
        "finit" => "Finit".to_owned(),
        "android" => "Android's init".to_owned(),
        other => other.to_owned(),
    }
}

/// What a boot is called: its number, and whose boot it is on a hypervisor's console.
pub fn boot_name(boot: &Boot) -> String {
    let guest = boot
        .guest
        .map_or_else(String::new, |guest| format!(", guest {guest} of the hypervisor"));
    format!("Boot {}{guest}", boot.number)
}
