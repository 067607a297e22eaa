// SPDX-License-Identifier: MIT
//! The lines by which boot ROMs, firmware and boot loaders introduce themselves.

/// How far along the chain a program stands; a step back means that the machine was reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Mask ROM, first code after reset.
    First,
    /// DRAM set-up and the loader's loader.
    Second,
    /// Secure monitor and run-time services; may print again later.
    Monitor,
    /// Starts the kernel.
    Loader,
}

/// A program that said its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banner<'a> {
    /// Its usual name.
    pub program: &'static str,
    /// Its place in the chain.
    pub rank: Rank,
    /// The line as printed, without indentation.
    pub text: &'a str,
}

const STARTS: [(&str, &str, Rank); 116] = [
    ("EFI stub: Booting Linux Kernel", "EFI stub", Rank::Loader),
    ("U-Boot TPL ", "U-Boot TPL", Rank::First),
    ("U-Boot VPL ", "U-Boot VPL", Rank::Second),
    ("U-Boot SPL ", "U-Boot SPL", Rank::Second),
    ("U-Boot 20", "U-Boot", Rank::Loader),
    ("U-Boot 1.", "U-Boot", Rank::Loader),
    ("NOTICE:  Booting Trusted Firmware", "TF-A BL1", Rank::First),
    ("NOTICE:  BL1: v", "TF-A BL1", Rank::First),
    ("NOTICE:  BL2: v", "TF-A BL2", Rank::Second),
    ("NOTICE:  BL31: v", "TF-A BL31", Rank::Monitor),
    ("NOTICE:  BL32: v", "TF-A BL32", Rank::Monitor),
    ("NOTICE:  SP_MIN: v", "TF-A SP_MIN", Rank::Monitor),
    ("BL3-1: ", "TF-A BL31", Rank::Monitor),
    ("NOTICE:  BL3-1: v", "TF-A BL31", Rank::Monitor),
    ("I/TC: OP-TEE version", "OP-TEE", Rank::Monitor),
    ("OpenSBI v", "OpenSBI", Rank::Second),
    ("Texas Instruments X-Loader", "X-Loader", Rank::Second),
    ("barebox 20", "barebox", Rank::Loader),
    ("SeaBIOS (version ", "SeaBIOS", Rank::First),
    ("iPXE (", "iPXE", Rank::Second),
    ("iPXE 1.", "iPXE", Rank::Second),
    ("GNU GRUB  version", "GRUB", Rank::Loader),
    ("Welcome to GRUB!", "GRUB", Rank::Loader),
    ("ISOLINUX ", "ISOLINUX", Rank::Loader),
    ("SYSLINUX ", "SYSLINUX", Rank::Loader),
    (">>>>SecStartup", "UEFI SEC", Rank::First),
    ("SecCoreStartup", "UEFI SEC", Rank::First),
    ("UEFI firmware (version", "UEFI", Rank::First),
    ("UEFI firmware starting.", "UEFI", Rank::First),
    ("============= Intel Slim Bootloader", "Slim Bootloader", Rank::First),
    (
        "====================Os Loader",
        "Slim Bootloader OS loader",
        Rank::Loader,
    ),
    ("HELLO! BOOT0 is starting", "BOOT0", Rank::First),
    ("HELLO! SBOOT is starting", "SBOOT", Rank::Second),
    ("DDR Version ", "DRAM init", Rank::First),
    ("DDR version ", "DRAM init", Rank::First),
    ("Boot1 Release Time: ", "Rockchip miniloader", Rank::Second),
    ("BootROM - ", "Marvell BootROM", Rank::First),
    ("BootROM 1.", "Marvell BootROM", Rank::First),
    ("PMU Firmware 20", "PMU firmware", Rank::Monitor),
    ("[rustsbi] RustSBI version", "RustSBI", Rank::Second),
    ("PolarFire(H) SoC Hart Software Services", "HSS", Rank::First),
    ("--== Welcome to Hostboot", "Hostboot", Rank::First),
    ("OPAL skiboot-", "skiboot", Rank::Monitor),
    ("OPAL v", "skiboot", Rank::Monitor),
    ("Welcome to yaboot version", "yaboot", Rank::Loader),
    ("zIPL v", "zipl", Rank::Loader),
    ("Android Bootloader - UART_DM", "Little Kernel", Rank::Loader),
    ("DDR V1.", "DRAM init", Rank::First),
    ("RomBOOT", "RomBOOT", Rank::First),
    ("AT91Bootstrap ", "AT91Bootstrap", Rank::Second),
    ("Format: Log Type - Time(microsec)", "Qualcomm SBL", Rank::First),
    ("Xilinx First Stage Boot Loader", "FSBL", Rank::First),
    ("Xilinx Zynq MP First Stage Boot Loader", "FSBL", Rank::First),
    ("Zynq MP First Stage Boot Loader", "FSBL", Rank::First),
    ("Xilinx Versal Platform Loader", "PLM", Rank::First),
    ("RPi: BOOTLOADER release", "Raspberry Pi bootloader", Rank::First),
    ("RPi: BOOTSYS release", "Raspberry Pi bootsys", Rank::Second),
    ("Raspberry Pi Bootcode", "Raspberry Pi bootcode", Rank::First),
    ("[DL] 00000000", "MediaTek boot ROM", Rank::First),
    ("welcome to lk", "Little Kernel", Rank::Loader),
    ("RedBoot(tm) bootstrap", "RedBoot", Rank::Loader),
    ("CFE version ", "CFE", Rank::Loader),
    ("Starting depthcharge on ", "depthcharge", Rank::Loader),
    ("Starting netboot on ", "depthcharge", Rank::Loader),
    ("PetitBoot ", "Petitboot", Rank::Loader),
    ("SLOF ****", "SLOF", Rank::Loader),
    ("oreboot ", "oreboot", Rank::First),
    ("M/TC: OP-TEE version", "OP-TEE", Rank::Monitor),
    ("I> MB1 (", "Tegra MB1", Rank::First),
    ("I> MB2 (", "Tegra MB2", Rank::Second),
    ("I> Welcome to MB2", "Tegra MB2", Rank::Second),
    ("Welcome to MB2", "Tegra MB2", Rank::Second),
    ("I> Welcome to Cboot", "CBoot", Rank::Loader),
    ("Welcome to Cboot", "CBoot", Rank::Loader),
    ("[TegraBoot] (version ", "TegraBoot", Rank::First),
    ("[L4T TegraBoot] (version ", "TegraBoot", Rank::First),
    ("[TegraBoot-CPU] ", "TegraBoot CPU", Rank::Second),
    ("[CPU] Welcome to Cboot", "CBoot", Rank::Loader),
    ("Jetson UEFI firmware (version", "UEFI", Rank::Loader),
    ("L4TLauncher: ", "L4TLauncher", Rank::Loader),
    ("** XBL(", "Qualcomm SBL", Rank::First),
    ("UEFI Start     [", "Qualcomm UEFI", Rank::Loader),
    ("BL2 Built", "Amlogic BL2", Rank::Second),
    ("BL2E Built", "Amlogic BL2E", Rank::Second),
    ("F0: 102B 0000", "MediaTek boot ROM", Rank::First),
    ("Preloader Start=", "MediaTek preloader", Rank::Second),
    ("#T#Preloader Start=", "MediaTek preloader", Rank::Second),
    ("Pll init start...", "MediaTek preloader", Rank::Second),
    ("[PMIC]Preloader Start", "MediaTek preloader", Rank::Second),
    ("MT7621   stage1 code", "MediaTek stage 1", Rank::First),
    ("(C)StarFive", "StarFive boot ROM", Rank::First),
    ("Starting Microloader ASM", "Microloader", Rank::First),
    ("sys: 0x", "SpacemiT boot ROM", Rank::First),
    ("C.SCS/0/0.", "Sophgo boot ROM", Rank::First),
    ("FSBL J", "Sophgo FSBL", Rank::Second),
    ("brom_ver ", "T-Head boot ROM", Rank::First),
    ("[I][] Powered by BouffaloLab", "Bouffalo low-load", Rank::First),
    ("TIM-1.0", "Marvell TIM", Rank::First),
    ("WTMI-", "Marvell WTMI", Rank::Second),
    ("LOADPARM=[", "s390-ccw", Rank::First),
    ("PMON2000 ", "PMON", Rank::Loader),
    ("aboot: Linux/Alpha", "aboot", Rank::Loader),
    ("palo ipl ", "palo", Rank::Loader),
    ("SILO Version ", "SILO", Rank::Loader),
    ("OpenBoot ", "OpenBoot", Rank::First),
    ("Ralink UBoot Version: ", "U-Boot", Rank::Loader),
    ("---RealTek(RTL", "Realtek boot code", Rank::Loader),
    ("---Realtek RTL", "Realtek boot code", Rank::Loader),
    (
        "Boot and Recovery Environment for Embedded Devices (BREED)",
        "Breed",
        Rank::Loader,
    ),
    ("RouterBOOT booter ", "RouterBOOT", Rank::Loader),
    ("ROM VER: ", "Lantiq boot ROM", Rank::First),
    ("(AVM) EVA Revision: ", "EVA", Rank::Loader),
    ("ADAM2 Revision ", "ADAM2", Rank::Loader),
    ("CEFDK Version", "CEFDK", Rank::Loader),
    ("(XEN) Xen version ", "Xen", Rank::Monitor),
    ("BGA IC", "EcoNet boot ROM", Rank::First),
];

/// Told by more than how the line starts, below.
const OTHERS: [&str; 10] = [
    "coreboot",
    "coreboot bootblock",
    "coreboot postcar",
    "coreboot ramstage",
    "coreboot romstage",
    "coreboot smm",
    "coreboot verstage",
    "Amlogic BL1",
    "SigmaStar IPL",
    "rrload",
];

/// The names of all programs that are known by what they say first, sorted.
pub fn programs() -> Vec<&'static str> {
    let mut names: Vec<_> = STARTS.iter().map(|(_, name, _)| *name).chain(OTHERS).collect();
    names.sort_unstable_by_key(|name| name.to_ascii_lowercase());
    names.dedup();
    names
}

/// Recognises a banner at the start of an unstamped line.
pub fn banner(text: &str) -> Option<Banner<'_>> {
    // The first byte after power-on is often damaged.
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '|' | '\u{fffd}'));
    let message = strip_level(text);
    if let Some(found) = coreboot(message) {
        return Some(Banner { text, ..found });
    }
    // Rockchip's newer one: `DDR 9fa84341ce typ 24/09/06-09:51:11,fwver: v1.18`.
    if message.starts_with("DDR ") && message.contains(",fwver: v") {
        let (program, rank) = ("DRAM init", Rank::First);
        return Some(Banner { program, rank, text });
    }
    // `IPL g5da0ceb`: the commit it was built from.
    let commit = message
        .strip_prefix("IPL ")
        .map(|rest| rest.strip_prefix('g').unwrap_or(rest));
    if commit.is_some_and(|text| text.len() == 7 && text.bytes().all(|b| b.is_ascii_hexdigit())) {
        let (program, rank) = ("SigmaStar IPL", Rank::First);
        return Some(Banner { program, rank, text });
    }
    if is_broadcom_cfe(message) {
        let (program, rank) = ("CFE", Rank::Loader);
        return Some(Banner { program, rank, text });
    }
    if is_amlogic_rom(message) {
        let (program, rank) = ("Amlogic BL1", Rank::First);
        return Some(Banner { program, rank, text });
    }
    if let Some(place) = message.find("rrload v") {
        return (place < 8).then_some(Banner {
            program: "rrload",
            rank: Rank::Loader,
            text,
        });
    }
    let known = STARTS.iter().find(|(start, ..)| message.starts_with(start));
    if let Some(&(_, program, rank)) = known {
        return Some(Banner { program, rank, text });
    }
    // `Cix UEFI firmware (version 0.0.1 built at ...)`: a maker's name first.
    let maker = message.find(" UEFI firmware (version ").map(|at| &message[..at])?;
    let named = (1..=24).contains(&maker.len())
        && maker.split(' ').count() <= 2
        && maker.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ');
    let (program, rank) = ("UEFI", Rank::Loader);
    named.then_some(Banner { program, rank, text })
}

/// `coreboot-<version> <date> <stage> starting (log level: 8)...`
fn coreboot(text: &str) -> Option<Banner<'_>> {
    if !text.starts_with("coreboot-") {
        return None;
    }
    let (program, rank) = [
        (" bootblock starting", "coreboot bootblock", Rank::First),
        (" verstage starting", "coreboot verstage", Rank::Second),
        (" romstage starting", "coreboot romstage", Rank::Second),
        (" postcar starting", "coreboot postcar", Rank::Second),
        (" ramstage starting", "coreboot ramstage", Rank::Second),
        // The handler of system management mode is entered again and again, also under the kernel.
        (" smm starting", "coreboot smm", Rank::Monitor),
        (" starting (log level", "coreboot", Rank::Second),
    ]
    .into_iter()
    .find_map(|(part, program, rank)| text.contains(part).then_some((program, rank)))
    // Up to 4.0 it did not say which of its stages speaks.
    .or_else(|| {
        text.ends_with(" starting...")
            .then_some(("coreboot romstage", Rank::First))
    })
    .or_else(|| {
        text.ends_with(" booting...")
            .then_some(("coreboot ramstage", Rank::Second))
    })
    // A serial port that is set up at this moment may swallow the rest.
    .or_else(|| text.contains(" UTC 20").then_some(("coreboot", Rank::Second)))?;
    Some(Banner { program, rank, text })
}

/// `BCM97000A0 CFE v7.7, Endian Mode: Little`: a set-top box names its chip before its loader.
fn is_broadcom_cfe(text: &str) -> bool {
    let behind = text.strip_prefix("BCM").and_then(|rest| rest.split_once(" CFE v"));
    behind.is_some_and(|(chip, version)| !chip.contains(' ') && version.starts_with(|c: char| c.is_ascii_digit()))
}

/// `GXL:BL1:9ac50e:bb16dc;FEAT:...`, `T7:BL:055c20;ID:...`, `QA5:A;SVN:B72;POC:FF;...`: the name of the chip first.
fn is_amlogic_rom(text: &str) -> bool {
    let Some((chip, rest)) = text.split_once(':') else {
        return false;
    };
    let named = (2..=5).contains(&chip.len()) && chip.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    let head = rest.get(..12).unwrap_or(rest);
    named && (rest.starts_with("BL1:") || rest.starts_with("BL:") || head.contains(";SVN:"))
}

/// coreboot's `[INFO ]  ` and TF-A's and others' prefixes before the banner.
fn strip_level(text: &str) -> &str {
    for level in [
        "[NOTE ]", "[INFO ]", "[DEBUG]", "[WARN ]", "[ERROR]", "[SPEW ]", "[EMERG]", "[ALERT]", "[CRIT ]",
    ] {
        if let Some(rest) = text.strip_prefix(level) {
            return rest.trim_start();
        }
    }
    text
}

/// Words that a boot loader prints and that others may mention: they hint at one when a kernel or more follows.
pub fn looks_like_loader(text: &str) -> bool {
    const PARTS: [&str; 5] = [
        "Booting the kernel",
        "booting the kernel",
        "Jumping to ",
        "ootloader",
        "Loading initial ramdisk",
    ];
    is_loaders_own(text) || PARTS.iter().any(|part| text.contains(part))
}

/// Words that only a boot loader prints, though it never said its name.
pub fn is_loaders_own(text: &str) -> bool {
    const PARTS: [&str; 15] = [
        "BdsDxe: ",
        "DRAM BOOT DRIVE INFO: ",
        "PCI: Resetting PHBs",
        "PROGRESS CODE: V0",
        "Starting kernel ...",
        "Hit any key to stop autoboot",
        "Uncompressing Linux",
        "Decompressing Linux",
        "jumping to kernel",
        "DRAM: ",
        "## Booting ",
        "Timer summary in microseconds",
        "BOOTSTAGE_",
        "NOTICE:  ",
        "EFI stub: ",
    ];
    PARTS.iter().any(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_behind_damage_and_chips() {
        let program = |text| banner(text).map(|found| found.program);
        assert_eq!(program("\u{fffd}DDR Version V1.12 20150408"), Some("DRAM init"));
        for text in [
            "T7:BL:055c20;ID:9056",
            "GXL:BL1:9ac50e:bb16dc;FEAT",
            "QA5:A;SVN:B72;POC:FF;",
        ] {
            assert_eq!(program(text), Some("Amlogic BL1"), "{text}");
        }
        assert_eq!(
            program("DDR 9fa84341ce typ 24/09/06-09:51:11,fwver: v1.18"),
            Some("DRAM init")
        );
        assert_eq!(program("MAC:BLUE"), None);
        assert_eq!(program("BCM97000A0 CFE v7.7, Endian Mode: Little"), Some("CFE"));
        assert_eq!(program("BCM97000A0 has a CFE v7.7"), None);
    }

    #[test]
    fn knows_names_and_not_commands() {
        assert_eq!(
            banner("U-Boot SPL 2024.01 (Jan 01 2024 - 00:00:00 +0000)")
                .unwrap()
                .program,
            "U-Boot SPL"
        );
        assert_eq!(banner("U-Boot> usb start"), None);
        let stage = banner("coreboot-v1.9 Sun Jan 30 verstage starting (log level: 8)...").unwrap();
        assert_eq!(stage.program, "coreboot verstage");
        let maker = banner("Cix UEFI firmware (version 0.0.1-debug built at 17:14:47").unwrap();
        assert_eq!(maker.program, "UEFI");
        assert_eq!(banner("I wrote a UEFI firmware (version 2)"), None);
        let old = banner("coreboot-4.0-5365-gdbef612-dirty Mon Jan 27 19:18:58 EST 2014 starting...").unwrap();
        assert_eq!((old.program, old.rank), ("coreboot romstage", Rank::First));
        let cut = banner("[NOTE ]  coreboot-24.02 Thu Apr 04 03:26:19 UTC 2024 x8.").unwrap();
        assert_eq!(cut.program, "coreboot");
        assert_eq!(
            banner("[NOTE ]  coreboot-4.2 Sun bootblock starting (log level: 8)...")
                .unwrap()
                .rank,
            Rank::First
        );
        assert_eq!(
            banner("|     rrload v4.8 by RidgeRun, Inc    |").unwrap().program,
            "rrload"
        );
    }
}
