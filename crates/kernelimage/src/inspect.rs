// SPDX-License-Identifier: MIT
//! Everything this crate can say of one image.

use serde::{Deserialize, Serialize};

use crate::bzimage::SetupHeader;
use crate::elf::{self, ElfInfo};
use crate::error::{Limits, Result};
use crate::foreign::{ArmZImage, EfiZboot, FlatImage, UImage};
use crate::kallsyms::{self, KallsymsLayout};
use crate::symbol::Symbol;
use crate::unpack::{self, ImageKind, Layer};
use crate::version::{self, Version};
use crate::{config, unpack::Unpacked};

/// The report of [`inspect`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageInfo {
    /// Format of this report.
    pub format: String,
    /// Version of the format.
    pub version: u32,
    /// Kind of the file.
    pub kind: ImageKind,
    /// Length of the file.
    pub size_bytes: u64,
    /// Architecture, in the kernel's spelling, where something names it.
    pub arch: Option<String>,
    /// The banner.
    pub linux: Option<Version>,
    /// Payloads from the outside in.
    pub layers: Vec<Layer>,
    /// Length of the kernel inside.
    pub kernel_bytes: u64,
    /// Set-up header of a bzImage.
    pub setup: Option<SetupHeader>,
    /// Header of an arm zImage.
    pub arm_zimage: Option<ArmZImage>,
    /// Header of an arm64 or riscv Image, at the outside or inside.
    pub flat: Option<FlatImage>,
    /// Header of an EFI zboot image.
    pub efi_zboot: Option<EfiZboot>,
    /// Header of a uImage.
    pub uimage: Option<UImage>,
    /// ELF tables of the kernel inside.
    pub elf: Option<ElfInfo>,
    /// The symbol table inside.
    pub kallsyms: Option<KallsymsLayout>,
    /// Whether a configuration is inside (`CONFIG_IKCONFIG=y`).
    pub has_config: bool,
    /// What could not be read, and why.
    pub notes: Vec<String>,
}

/// Says what an image is and what it holds. A header that is there is reported even when the payload does not unpack.
pub fn inspect(image: &[u8], limits: &Limits) -> ImageInfo {
    let kind = ImageKind::detect(image);
    let mut notes = Vec::new();
    let mut note = |what: &str, error: &dyn std::fmt::Display| notes.push(format!("{what}: {error}"));
    let setup = (kind == ImageKind::BzImage)
        .then(|| SetupHeader::read(image))
        .and_then(|read| read.map_err(|error| note("set-up header", &error)).ok());
    let unpacked = unpack::unpack(image, limits)
        .map_err(|error| note("payload", &error))
        .ok();
    let kernel = unpacked.as_ref().map(|unpacked| &*unpacked.kernel);
    let elf = kernel
        .filter(|kernel| elf::is_elf(kernel))
        .and_then(|kernel| elf::read(kernel).map_err(|error| note("ELF", &error)).ok());
    let kallsyms = kernel.and_then(|kernel| {
        kallsyms::read_layout(kernel, elf.as_ref(), limits)
            .map_err(|error| note("symbols", &error))
            .ok()
    });
    let has_config = kernel.is_some_and(|kernel| config::extract(kernel, limits).is_ok());
    let flat = FlatImage::read(image).or_else(|| kernel.and_then(FlatImage::read));
    let arm_zimage = ArmZImage::read(image);
    let arch = elf
        .as_ref()
        .and_then(|elf| elf.arch.clone())
        .or_else(|| flat.as_ref().map(|flat| flat.arch.clone()))
        .or_else(|| arm_zimage.is_some().then(|| "arm".to_owned()))
        .or_else(|| setup.is_some().then(|| "x86".to_owned()));
    ImageInfo {
        format: "kernel-image".to_owned(),
        version: 1,
        kind,
        size_bytes: image.len() as u64,
        arch,
        linux: kernel.and_then(version::find),
        kernel_bytes: kernel.map_or(0, |kernel| kernel.len() as u64),
        layers: unpacked
            .as_ref()
            .map_or_else(Vec::new, |unpacked| unpacked.layers.clone()),
        setup,
        arm_zimage,
        flat,
        efi_zboot: EfiZboot::read(image),
        uimage: UImage::read(image),
        elf,
        kallsyms,
        has_config,
        notes,
    }
}

/// The symbols of an image: its kallsyms tables, or the table of an unstripped ELF file.
///
/// # Errors
/// Errors of [`unpack::unpack`]; [`crate::Error::NotFound`] when the kernel carries no symbols.
pub fn symbols(image: &[u8], limits: &Limits) -> Result<Vec<Symbol>> {
    let Unpacked { kernel, .. } = unpack::unpack(image, limits)?;
    let elf = if elf::is_elf(&kernel) {
        Some(elf::read(&kernel)?)
    } else {
        None
    };
    match (kallsyms::read(&kernel, elf.as_ref(), limits), &elf) {
        (Ok(table), _) => Ok(table.symbols),
        (Err(error), Some(elf)) if elf.has_symtab => elf::symbols(&kernel, limits).map_err(|_| error),
        (Err(error), _) => Err(error),
    }
}

/// The `.config` text inside an image.
///
/// # Errors
/// Errors of [`unpack::unpack`] and [`config::extract`].
pub fn embedded_config(image: &[u8], limits: &Limits) -> Result<String> {
    config::extract(&unpack::unpack(image, limits)?.kernel, limits)
}
