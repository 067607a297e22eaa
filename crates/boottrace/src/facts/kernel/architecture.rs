// SPDX-License-Identifier: MIT
//! Which architecture a kernel is for: by lines that only one architecture's code prints, else by its compiler or release.

use serde::{Deserialize, Serialize};

use super::banner::KernelBanner;

/// A family of processors, by the kernel's names; `x86` and `riscv` where the log does not tell how wide its words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ArchitectureName {
    /// 64-bit x86.
    #[serde(rename = "x86_64")]
    X86With64Bits,
    /// 32-bit x86.
    I386,
    /// x86 of unknown width.
    X86,
    /// 32-bit ARM.
    Arm,
    /// 64-bit ARM.
    Arm64,
    /// 64-bit RISC-V.
    Riscv64,
    /// 32-bit RISC-V.
    Riscv32,
    /// RISC-V of unknown width.
    Riscv,
    /// MIPS of any width.
    Mips,
    /// `PowerPC` of any width.
    Powerpc,
    /// IBM Z.
    S390,
    /// `LoongArch`.
    Loongarch,
    /// SPARC of any width.
    Sparc,
    /// Motorola 68000.
    M68k,
    /// `SuperH`.
    Sh,
    /// ARC.
    Arc,
    /// Xtensa.
    Xtensa,
    /// `MicroBlaze`.
    Microblaze,
    /// Itanium.
    Ia64,
    /// Alpha.
    Alpha,
    /// PA-RISC.
    Parisc,
}

/// An architecture, and the line that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Architecture {
    /// Which one.
    pub name: ArchitectureName,
    /// Physical line of the evidence.
    pub line: u32,
}

/// What the lines of one kernel have shown so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signs {
    own_words: Option<Architecture>,
    /// Zones that only kernels with 64-bit words have.
    wide: Option<u32>,
    /// Zones that only x86 kernels with 32-bit words have.
    narrow: Option<u32>,
}

impl Signs {
    /// Looks at a message of the kernel.
    pub(super) fn line(&mut self, text: &str, line: u32) {
        if self.own_words.is_none() {
            self.own_words = own_words(text).map(|name| Architecture { name, line });
        }
        if self.wide.is_none() && text.starts_with("DMA32 ") {
            self.wide = Some(line);
        }
        if self.narrow.is_none() && text.ends_with("MB LOWMEM available.") {
            self.narrow = Some(line);
        }
    }

    /// What they show together, and with the banner.
    pub(super) fn architecture(&self, banner: Option<&KernelBanner>) -> Option<Architecture> {
        let named = banner.and_then(named_by);
        let Some(seen) = self.own_words else { return named };
        let widths = match seen.name {
            ArchitectureName::X86 => (ArchitectureName::X86With64Bits, ArchitectureName::I386),
            ArchitectureName::Riscv => (ArchitectureName::Riscv64, ArchitectureName::Riscv32),
            _ => return Some(seen),
        };
        let by_zone = match (self.wide, self.narrow) {
            (_, Some(line)) if seen.name == ArchitectureName::X86 => Some(Architecture { name: widths.1, line }),
            (Some(line), _) => Some(Architecture { name: widths.0, line }),
            _ => None,
        };
        let by_banner = named.filter(|named| named.name == widths.0 || named.name == widths.1);
        by_zone.or(by_banner).or(Some(seen))
    }
}

/// What only one architecture's code prints (`arch/*/kernel`).
fn own_words(text: &str) -> Option<ArchitectureName> {
    match text.as_bytes().first()? {
        b'B' => booting(text),
        b'C' => of_processor(text),
        b'P' if text.starts_with("PROMLIB: ") => Some(ArchitectureName::Sparc),
        b'S' if text.starts_with("SBI specification v") => Some(ArchitectureName::Riscv),
        b'U' if text.starts_with("Using ") && text.ends_with(" machine description") => Some(ArchitectureName::Powerpc),
        b'e' if text.starts_with("e820: ") => Some(ArchitectureName::X86),
        b'r' if text.starts_with("riscv: ") => Some(ArchitectureName::Riscv),
        b's' if text.starts_with("smpboot: ") => Some(ArchitectureName::X86),
        b's' if text.starts_with("setup: Linux is running ") => Some(ArchitectureName::S390),
        b'x' if text.starts_with("x86/") => Some(ArchitectureName::X86),
        _ => None,
    }
}

/// `BIOS-e820: …`; `Booting Linux on physical CPU 0x0000000000 [0x410fd034]`, which arm writes without the brackets, as
/// arm64 did up to 4.16; `Boot CPU: AArch64 Processor [411fd073]`.
fn booting(text: &str) -> Option<ArchitectureName> {
    if text.starts_with("BIOS-e820: ") {
        return Some(ArchitectureName::X86);
    }
    if text.starts_with("Boot CPU: AArch64 Processor") {
        return Some(ArchitectureName::Arm64);
    }
    let number = text.strip_prefix("Booting Linux on physical CPU 0x")?;
    let (number, id) = number.split_once(' ')?;
    (number.len() == 10 && id.starts_with("[0x")).then_some(ArchitectureName::Arm64)
}

fn of_processor(text: &str) -> Option<ArchitectureName> {
    if text.starts_with("CPU: AArch64 Processor") || text.starts_with("CPU: All CPU(s) started at EL") {
        return Some(ArchitectureName::Arm64);
    }
    if text.starts_with("CPU: All CPU(s) started in ") || text.starts_with("CPU: Testing write buffer coherency") {
        return Some(ArchitectureName::Arm);
    }
    if let Some((_, core)) = text
        .strip_prefix("CPU")
        .and_then(|rest| rest.split_once(" revision is: "))
    {
        let loongarch = core.contains("(Loongson-64bit") || core.contains("(Loongson-32bit");
        return Some(if loongarch {
            ArchitectureName::Loongarch
        } else {
            ArchitectureName::Mips
        });
    }
    // `CPU: ARM926EJ-S [41069265] revision 5 (ARMv5TEJ), cr=00093177`
    let (_, rest) = text.strip_prefix("CPU: ")?.split_once("] revision ")?;
    rest.contains("(ARMv").then_some(ArchitectureName::Arm)
}

/// What compiler or release name: distributions and cross compilers put the architecture into theirs. Who built the
/// kernel, and where, says nothing: a cross compiler's machine has another one.
fn named_by(banner: &KernelBanner) -> Option<Architecture> {
    let compiler = banner.compiler.as_deref().unwrap_or_default();
    let words = |text| str::split(text, |c: char| !c.is_ascii_alphanumeric() && c != '_');
    let name = words(compiler).chain(words(&banner.release)).find_map(named)?;
    Some(Architecture {
        name,
        line: banner.line,
    })
}

fn named(word: &str) -> Option<ArchitectureName> {
    const STARTS: [(&str, ArchitectureName); 16] = [
        ("aarch64", ArchitectureName::Arm64),
        ("arm64", ArchitectureName::Arm64),
        ("riscv64", ArchitectureName::Riscv64),
        ("riscv32", ArchitectureName::Riscv32),
        ("mips", ArchitectureName::Mips),
        ("powerpc", ArchitectureName::Powerpc),
        ("ppc64", ArchitectureName::Powerpc),
        ("s390", ArchitectureName::S390),
        ("loongarch", ArchitectureName::Loongarch),
        ("sparc", ArchitectureName::Sparc),
        ("m68k", ArchitectureName::M68k),
        ("microblaze", ArchitectureName::Microblaze),
        ("xtensa", ArchitectureName::Xtensa),
        ("ia64", ArchitectureName::Ia64),
        ("hppa", ArchitectureName::Parisc),
        ("armv", ArchitectureName::Arm),
    ];
    match word {
        "x86_64" | "amd64" => Some(ArchitectureName::X86With64Bits),
        "i386" | "i486" | "i586" | "i686" | "686" => Some(ArchitectureName::I386),
        "arm" | "armhf" | "armel" | "armmp" | "armeb" => Some(ArchitectureName::Arm),
        "sh4" => Some(ArchitectureName::Sh),
        "arc" | "archs" => Some(ArchitectureName::Arc),
        "alpha" => Some(ArchitectureName::Alpha),
        _ => STARTS
            .iter()
            .find_map(|(start, name)| word.starts_with(start).then_some(*name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str], banner: &str) -> Option<(ArchitectureName, u32)> {
        let mut signs = Signs::default();
        for (number, text) in (2..).zip(lines) {
            signs.line(text, number);
        }
        let found = signs.architecture(KernelBanner::read(banner, 1).as_ref());
        found.map(|found| (found.name, found.line))
    }

    #[test]
    fn own_words_come_before_the_compiler() {
        let cross = "Linux version 6.1.0 (a@build-amd64) (x86_64-linux-gnu-gcc 12) #1";
        let arm = "CPU: ARMv7 Processor [410fc075] revision 5 (ARMv7), cr=10c5387d";
        assert_eq!(of(&[arm], cross), Some((ArchitectureName::Arm, 2)));
        assert_eq!(of(&[], cross), Some((ArchitectureName::X86With64Bits, 1)));
        let plain = "Linux version 6.1.0 (a@build-amd64) (gcc 12) #1";
        assert_eq!(of(&["Booting Linux on physical CPU 0x0"], plain), None);
    }

    #[test]
    fn the_width_is_told_or_left_open() {
        let plain = "Linux version 6.1.0 (a@b) (gcc 12) #1";
        let map = "BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable";
        let wide = "DMA32    [mem 0x0000000001000000-0x000000003ffdefff]";
        assert_eq!(of(&[map], plain), Some((ArchitectureName::X86, 2)));
        assert_eq!(of(&[map, wide], plain), Some((ArchitectureName::X86With64Bits, 3)));
        assert_eq!(
            of(&[map, "879MB LOWMEM available."], plain),
            Some((ArchitectureName::I386, 3))
        );
        let debian = "Linux version 6.1.0-21-686-pae (a@b) (gcc 12) #1";
        assert_eq!(of(&[map], debian), Some((ArchitectureName::I386, 1)));
        assert_eq!(
            of(&["riscv: base ISA extensions acdfim", wide], plain),
            Some((ArchitectureName::Riscv64, 3))
        );
        assert_eq!(of(&["Machine model: riscv-virtio,qemu"], plain), None);
    }

    #[test]
    fn chips_with_one_name_are_told_apart() {
        let plain = "Linux version 6.1.0 (a@b) (gcc 12) #1";
        for (text, name) in [
            ("CPU0 revision is: 0001992f (MIPS 1004Kc)", ArchitectureName::Mips),
            (
                "CPU0 revision is: 0014c010 (Loongson-64bit)",
                ArchitectureName::Loongarch,
            ),
            ("Boot CPU: AArch64 Processor [411fd073]", ArchitectureName::Arm64),
            (
                "CPU: Arm925Tsid(wt) [54029252] revision 2 (ARMv4T)",
                ArchitectureName::Arm,
            ),
        ] {
            assert_eq!(of(&[text], plain), Some((name, 2)), "{text}");
        }
    }
}
