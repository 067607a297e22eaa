// SPDX-License-Identifier: MIT
//! Functions that the kernel's own macros define (kernel: include/linux/{init,module,device/driver,syscalls}.h, ...).

use crate::definition::{Definition, Kind};

/// include/linux/init.h, and what module.h makes of them in a kernel image.
const INITCALLS: &[&str] = &[
    "early_initcall",
    "pure_initcall",
    "core_initcall",
    "core_initcall_sync",
    "postcore_initcall",
    "postcore_initcall_sync",
    "arch_initcall",
    "arch_initcall_sync",
    "subsys_initcall",
    "subsys_initcall_sync",
    "fs_initcall",
    "fs_initcall_sync",
    "rootfs_initcall",
    "device_initcall",
    "device_initcall_sync",
    "late_initcall",
    "late_initcall_sync",
    "console_initcall",
    "module_init",
    "__initcall",
    "security_initcall",
];

/// Adds what a macro call outside functions defines; tells whether the macro is known.
pub fn from_macro(name: &str, arguments: &[String], line: u32, out: &mut Vec<Definition>) -> bool {
    let Some(first) = arguments.first().filter(|first| !first.is_empty()) else {
        return false;
    };
    let mut add = |kind, name: String, detail: &str| {
        out.push(Definition {
            kind,
            name,
            line,
            detail: detail.to_owned(),
        });
    };
    if INITCALLS.contains(&name) {
        add(Kind::Initcall, first.clone(), name);
        return true;
    }
    if is_driver_macro(name) {
        add(Kind::Local, format!("{first}_init"), "");
        add(Kind::Initcall, format!("{first}_init"), name);
        if name.starts_with("module_") {
            add(Kind::Local, format!("{first}_exit"), "");
        }
        return true;
    }
    match name {
        "DEFINE_SHOW_ATTRIBUTE"
        | "DEFINE_SEQ_ATTRIBUTE"
        | "DEFINE_PROC_SHOW_ATTRIBUTE"
        | "DEFINE_SHOW_STORE_ATTRIBUTE"
        | "DEFINE_SIMPLE_ATTRIBUTE"
        | "DEFINE_DEBUGFS_ATTRIBUTE"
        | "DEFINE_SIMPLE_ATTRIBUTE_SIGNED"
        | "DEFINE_DEBUGFS_ATTRIBUTE_SIGNED" => add(Kind::Local, format!("{first}_open"), ""),
        _ => return false,
    }
    true
}

/// Names of what `SYSCALL_DEFINE3(open, ...) {` and its kin define; empty when the macro is none of them.
pub fn system_call(name: &str, arguments: &[String]) -> Vec<String> {
    let Some(first) = arguments.first() else {
        return Vec::new();
    };
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if digits.len() > 1 {
        return Vec::new();
    }
    let (prefixes, call): (&[&str], String) = match plain {
        "SYSCALL_DEFINE" => (
            &["__do_", "__se_", "__x64_", "__ia32_", "__arm64_", "__riscv_", ""],
            format!("sys_{first}"),
        ),
        "COMPAT_SYSCALL_DEFINE" => (
            &["__do_", "__se_", "__ia32_", "__x32_", "__arm64_", ""],
            format!("compat_sys_{first}"),
        ),
        "BPF_CALL_" => (&["", "____"], first.clone()),
        _ => return Vec::new(),
    };
    let mut names: Vec<String> = prefixes.iter().map(|prefix| format!("{prefix}{call}")).collect();
    if plain == "BPF_CALL_" {
        names.dedup();
    }
    names
}

/// Names of what `DEFINE_IDTENTRY(exc_x) {` and its kin define (kernel: arch/x86/include/asm/idtentry.h).
pub fn exception_entry(name: &str, arguments: &[String]) -> Vec<String> {
    match arguments.first() {
        Some(first) if name.starts_with("DEFINE_IDTENTRY") || name.starts_with("DEFINE_FREDENTRY") => {
            vec![
                first.clone(),
                format!("__{first}"),
                format!("fred_{first}"),
                format!("noist_{first}"),
            ]
        }
        _ => Vec::new(),
    }
}

fn is_driver_macro(name: &str) -> bool {
    let middle = name
        .strip_prefix("module_")
        .or_else(|| name.strip_prefix("builtin_"))
        .map(|rest| rest.strip_suffix("_probe").unwrap_or(rest));
    middle.is_some_and(|rest| rest.ends_with("_driver") || rest == "driver")
}
