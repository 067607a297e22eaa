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

const STARTS: [(&str, &str, Rank); 71] = [
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
    ("Boot1 Release Time: ", "Rockchip miniloader", Rank::Second),
    ("GXBB:BL1:", "Amlogic BL1", Rank::First),
    ("GXL:BL1:", "Amlogic BL1", Rank::First),
    ("AXG:BL1:", "Amlogic BL1", Rank::First),
    ("G12A:BL:", "Amlogic BL1", Rank::First),
    ("G12B:BL:", "Amlogic BL1", Rank::First),
    ("SM1:BL:", "Amlogic BL1", Rank::First),
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
];

/// Recognises a banner at the start of an unstamped line.
pub fn banner(text: &str) -> Option<Banner<'_>> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '|');
    let message = strip_level(text);
    if let Some(found) = coreboot(message) {
        return Some(Banner { text, ..found });
    }
    if let Some(place) = message.find("rrload v") {
        return (place < 8).then_some(Banner {
            program: "rrload",
            rank: Rank::Loader,
            text,
        });
    }
    STARTS
        .iter()
        .find(|(start, ..)| message.starts_with(start))
        .map(|&(_, program, rank)| Banner { program, rank, text })
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
    .find_map(|(part, program, rank)| text.contains(part).then_some((program, rank)))?;
    Some(Banner { program, rank, text })
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

/// Hints that unprefixed text before a kernel comes from a boot loader, though none said its name.
pub fn looks_like_loader(text: &str) -> bool {
    const PARTS: [&str; 16] = [
        "Starting kernel",
        "Hit any key to stop autoboot",
        "Uncompressing Linux",
        "Decompressing Linux",
        "Booting the kernel",
        "booting the kernel",
        "jumping to kernel",
        "Jumping to ",
        "ootloader",
        "DRAM: ",
        "## Booting ",
        "Timer summary in microseconds",
        "BOOTSTAGE_",
        "NOTICE:  ",
        "EFI stub: ",
        "Loading initial ramdisk",
    ];
    PARTS.iter().any(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

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
