// SPDX-License-Identifier: MIT
//! What a kernel says of the protections that it sets up: mitigations, security modules, lockdown, memory protection.
//!
//! Sources: `arch/x86/kernel/cpu/bugs.c` (one `pr_fmt` an attack), `arch/x86/mm/pti.c`, `arch/x86/mm/dump_pagetables.c`,
//! `arch/arm64/kernel/proton-pack.c`, `arch/arm64/kernel/kaslr.c`, `arch/arm/kernel/spectre.c`, `mm/mm_init.c`,
//! `mm/kfence/core.c`, `init/main.c` (`mark_readonly`), `kernel/audit.c`, `security/security.c`,
//! `security/lockdown/lockdown.c` and each security module's own first line.

use serde::{Deserialize, Serialize};

/// One such message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Protection {
    /// What it is about: `Spectre V2`, `security modules`, `W+X mappings`.
    pub subject: String,
    /// What the kernel says of it.
    pub says: String,
}

/// How such messages begin, and what they are about. What stands behind the begin is what the kernel says.
const AFTER: [(&str, &str); 37] = [
    ("Spectre V1 : ", "Spectre V1"),
    ("Spectre V2 : ", "Spectre V2"),
    ("Spectre v2: ", "Spectre V2"),
    ("Spectre BHB: ", "Spectre BHB"),
    ("Speculative Store Bypass: ", "Speculative Store Bypass"),
    (
        "Speculative Return Stack Overflow: ",
        "Speculative Return Stack Overflow",
    ),
    ("RETBleed: ", "RETBleed"),
    ("MDS: ", "MDS"),
    ("TAA: ", "TAA"),
    ("MMIO Stale Data: ", "MMIO Stale Data"),
    ("Register File Data Sampling: ", "Register File Data Sampling"),
    ("SRBDS: ", "SRBDS"),
    ("GDS: ", "GDS"),
    ("L1TF: ", "L1TF"),
    ("ITS: ", "ITS"),
    ("Transient Scheduler Attacks: ", "Transient Scheduler Attacks"),
    ("VMSCAPE: ", "VMSCAPE"),
    ("Kernel/User page tables isolation: ", "page table isolation"),
    ("CPU features: kernel page table isolation ", "page table isolation"),
    (
        "CPU features: detected: Kernel page table isolation",
        "page table isolation",
    ),
    ("CPU features: detected: Spectre-", "Spectre"),
    ("spectre-v2 mitigation ", "Spectre V2"),
    ("spectre-v4 mitigation ", "Spectre V4"),
    ("KASLR ", "KASLR"),
    ("NX (Execute Disable) protection: ", "NX"),
    ("mem auto-init: ", "memory initialised"),
    ("x86/mm: Checked W+X mappings: ", "W+X mappings"),
    ("Checked W+X mappings: ", "W+X mappings"),
    ("Kernel memory protection ", "kernel memory protection"),
    ("CET detected: ", "control-flow protection"),
    ("kfence: ", "KFENCE"),
    ("Kernel is locked down from ", "lockdown"),
    ("secureboot: ", "secure boot"),
    ("LSM: initializing lsm=", "security modules"),
    ("LoadPin: ", "LoadPin"),
    ("iommu: Default domain type: ", "IOMMU"),
    ("SELinux:  ", "SELinux"),
];

/// Messages that are said whole, and what they are about.
const WHOLE: [(&str, &str); 13] = [
    ("Write protecting the kernel ", "kernel memory protection"),
    ("Write protecting kernel ", "kernel memory protection"),
    ("AppArmor: AppArmor ", "AppArmor"),
    ("Yama: ", "Yama"),
    ("landlock: ", "Landlock"),
    ("TOMOYO Linux initialized", "TOMOYO"),
    ("Smack:  Initializing", "Smack"),
    ("LSM support for eBPF active", "BPF security module"),
    ("LSM: Security Framework initializing", "security framework"),
    ("Loading compiled-in X.509 certificates", "keys of the kernel"),
    ("audit: initializing netlink subsys", "audit"),
    ("audit: disabled (until reboot)", "audit"),
    ("audit: enabled", "audit"),
];

/// Some modules cannot be verified: the line begins with the module's name.
const UNSIGNED: &str = ": module verification failed";

/// Longer messages are none of these.
const LONGEST: usize = 1000;

/// What one message without its prefix says of a protection.
pub fn read(text: &str) -> Option<Protection> {
    let text = behind_processor(text.trim());
    if text.len() > LONGEST {
        return None;
    }
    let said = |subject: &str, says: &str| Protection {
        subject: subject.to_owned(),
        says: says.trim().to_owned(),
    };
    let after = AFTER
        .iter()
        .find_map(|(begin, subject)| Some(said(subject, text.strip_prefix(begin)?)));
    after
        .or_else(|| {
            let whole = WHOLE.iter().find(|(begin, _)| text.starts_with(begin));
            whole.map(|(_, subject)| said(subject, text))
        })
        .or_else(|| text.contains(UNSIGNED).then(|| said("module signatures", text)))
}

/// 32-bit ARM names the processor first: `CPU0: Spectre v2: using BPIALL workaround`.
fn behind_processor(text: &str) -> &str {
    let rest = text
        .strip_prefix("CPU")
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.and_then(|rest| rest.strip_prefix(": ")).unwrap_or(text)
}

/// Such messages among the lines of a kernel's log, each as often as it was printed.
pub fn of_texts<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Protection> {
    let message = |line: &'a str| {
        let stamp = crate::log::kernel_stamp(line).map_or(0, |(_, length)| length);
        line.get(stamp..).unwrap_or(line)
    };
    lines.filter_map(|line| read(message(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind() {
        for (text, subject, says) in [
            (
                "Spectre V2 : Mitigation: Retpolines",
                "Spectre V2",
                "Mitigation: Retpolines",
            ),
            (
                "MDS: Vulnerable: Clear CPU buffers",
                "MDS",
                "Vulnerable: Clear CPU buffers",
            ),
            (
                "CPU0: Spectre v2: using BPIALL workaround",
                "Spectre V2",
                "using BPIALL workaround",
            ),
            (
                "LSM: initializing lsm=lockdown,capability,yama",
                "security modules",
                "lockdown,capability,yama",
            ),
            (
                "Write protecting the kernel read-only data: 20480k",
                "kernel memory protection",
                "Write protecting the kernel read-only data: 20480k",
            ),
            (
                "x86/mm: Checked W+X mappings: passed, no W+X pages found.",
                "W+X mappings",
                "passed, no W+X pages found.",
            ),
            (
                "KASLR disabled due to lack of seed",
                "KASLR",
                "disabled due to lack of seed",
            ),
            (
                "camera: module verification failed: signature and/or required key missing - tainting kernel",
                "module signatures",
                "camera: module verification failed: signature and/or required key missing - tainting kernel",
            ),
        ] {
            let found = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.subject.as_str(), found.says.as_str()), (subject, says));
        }
    }

    #[test]
    fn what_is_none() {
        for text in [
            "",
            "CPU0: ",
            "audit: type=2000 audit(1.0:1): state=initialized",
            "Spectre V2",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&format!("MDS: {}", "x".repeat(2000))), None);
    }

    #[test]
    fn out_of_a_log() {
        let log = [
            "[    0.100000] MDS: Mitigation: Clear CPU buffers",
            "[    0.2] Linux",
            "Yama: becoming mindful.",
        ];
        let found: Vec<_> = of_texts(log.into_iter()).into_iter().map(|one| one.subject).collect();
        assert_eq!(found, ["MDS", "Yama"]);
    }
}
