// SPDX-License-Identifier: MIT
//! Kernel images of other architectures and wrappers: arm `zImage`, arm64 and riscv `Image`, EFI zboot, U-Boot's uImage.

use serde::{Deserialize, Serialize};

use crate::bytes::{c_string, ByteOrder};

const LE: ByteOrder = ByteOrder::Little;
const BE: ByteOrder = ByteOrder::Big;

/// arm `zImage` (kernel: `arch/arm/boot/compressed/head.S`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArmZImage {
    /// Byte order of the code.
    pub byte_order: ByteOrder,
    /// Address it was linked to start at; 0 when it runs anywhere.
    pub start: u32,
    /// Length of the image, from start to end.
    pub length_bytes: u32,
}

/// arm64 or riscv `Image` (kernel: `Documentation/arch/arm64/booting.rst`, `Documentation/arch/riscv/boot-image-header.rst`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlatImage {
    /// `arm64` or `riscv`.
    pub arch: String,
    /// Where the image wants to lie, from a 2 MiB boundary.
    pub text_offset_bytes: u64,
    /// Memory it takes, BSS included; 0 in old arm64 kernels.
    pub image_size_bytes: u64,
    /// The flags word as it stands.
    pub flags: u64,
    /// Whether the file is also an EFI program (`MZ`).
    pub efi_stub: bool,
}

/// EFI zboot: an EFI program that unpacks a kernel (kernel: `drivers/firmware/efi/libstub/zboot-header.S`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EfiZboot {
    /// Where the payload starts in the file.
    pub payload_offset_bytes: u32,
    /// Length of the payload.
    pub payload_length_bytes: u32,
    /// The name of the compression, as the build wrote it.
    pub compression: Option<String>,
}

/// U-Boot's legacy image (U-Boot: `include/image.h`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UImage {
    /// Name field.
    pub name: String,
    /// Load address.
    pub load: u32,
    /// Entry point.
    pub entry: u32,
    /// Length of the data after the header of 64 bytes.
    pub data_bytes: u32,
}

impl ArmZImage {
    /// Reads the header; `None` without its magic at byte 0x24.
    pub fn read(image: &[u8]) -> Option<Self> {
        const MAGIC: u32 = 0x016f_2818;
        let byte_order = [LE, BE]
            .into_iter()
            .find(|order| order.u32(image, 0x24) == Some(MAGIC))?;
        let start = byte_order.u32(image, 0x28)?;
        let end = byte_order.u32(image, 0x2c)?;
        Some(Self {
            byte_order,
            start,
            length_bytes: end.saturating_sub(start),
        })
    }
}

impl FlatImage {
    /// Reads the header; `None` without the magic of either architecture.
    pub fn read(image: &[u8]) -> Option<Self> {
        let arch = match image.get(0x38..0x3c)? {
            b"ARM\x64" => "arm64",
            b"RSC\x05" => "riscv",
            // The older magic; the newer one came with header version 0.2.
            _ if image.get(0x30..0x35) == Some(b"RISCV") => "riscv",
            _ => return None,
        };
        Some(Self {
            arch: arch.to_owned(),
            text_offset_bytes: LE.u64(image, 8)?,
            image_size_bytes: LE.u64(image, 16)?,
            flags: LE.u64(image, 24)?,
            efi_stub: image.starts_with(b"MZ"),
        })
    }
}

impl EfiZboot {
    /// Reads the header; `None` without `MZ` and `zimg`.
    pub fn read(image: &[u8]) -> Option<Self> {
        if !image.starts_with(b"MZ") || image.get(4..8) != Some(b"zimg") {
            return None;
        }
        Some(Self {
            payload_offset_bytes: LE.u32(image, 8)?,
            payload_length_bytes: LE.u32(image, 12)?,
            compression: c_string(image, 24, 32).filter(|name| !name.is_empty()),
        })
    }
}

impl UImage {
    /// Bytes before the data.
    pub const HEADER_BYTES: usize = 64;

    /// Reads the header; `None` without its magic.
    pub fn read(image: &[u8]) -> Option<Self> {
        const MAGIC: u32 = 0x2705_1956;
        if BE.u32(image, 0)? != MAGIC {
            return None;
        }
        let name = image.get(32..64)?;
        let end = memchr::memchr(0, name).unwrap_or(name.len());
        Some(Self {
            name: String::from_utf8_lossy(&name[..end]).into_owned(),
            data_bytes: BE.u32(image, 12)?,
            load: BE.u32(image, 16)?,
            entry: BE.u32(image, 20)?,
        })
    }
}
