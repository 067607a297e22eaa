// SPDX-License-Identifier: MIT
//! The x86 boot protocol's set-up header (kernel: `Documentation/arch/x86/boot.rst`).

use serde::{Deserialize, Serialize};

use crate::bytes::{c_string, ByteOrder};
use crate::error::{Error, Result};

const LE: ByteOrder = ByteOrder::Little;
const MAGIC_AT: usize = 0x202;
const SECTOR_BYTES: usize = 512;
/// The header counts the `kernel_version` pointer from here.
const VERSION_BASE: usize = 0x200;

/// `xloadflags`: what the protected-mode entry points can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)]
pub struct LoadAbility {
    /// A 64-bit entry point exists at payload start + 0x200 (`XLF_KERNEL_64`).
    pub entry_64: bool,
    /// Kernel, set-up data, initrd and command line may lie above 4 GiB (`XLF_CAN_BE_LOADED_ABOVE_4G`).
    pub above_4g: bool,
    /// 32-bit EFI handover entry (`XLF_EFI_HANDOVER_32`).
    pub efi_handover_32: bool,
    /// 64-bit EFI handover entry (`XLF_EFI_HANDOVER_64`).
    pub efi_handover_64: bool,
    /// Started by kexec with EFI runtime support (`XLF_EFI_KEXEC`).
    pub efi_kexec: bool,
    /// Five-level paging is supported (`XLF_5LEVEL`).
    pub five_level_paging: bool,
}

/// The set-up header of a bzImage. Fields that a protocol version does not have yet are `None`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupHeader {
    /// Protocol version, major in the high byte (0x020f = 2.15).
    pub protocol: u16,
    /// Sectors of 512 bytes after the boot sector; the protected-mode code follows them.
    pub setup_sectors: u8,
    /// Where the protected-mode code starts in the file.
    pub protected_mode_offset_bytes: u64,
    /// `kernel_version`: release, builder and build stamp, as `file` prints it.
    pub kernel_version: Option<String>,
    /// Loaded high, at 1 MiB (`LOADED_HIGH`); else this is an old zImage.
    pub loaded_high: bool,
    /// The protected-mode code may be moved (2.05).
    pub relocatable: Option<bool>,
    /// Alignment the kernel wants when it is moved (2.05).
    pub kernel_alignment_bytes: Option<u32>,
    /// Longest command line without its NUL (2.06).
    pub cmdline_size_bytes: Option<u32>,
    /// Offset of the compressed payload from the protected-mode code (2.08).
    pub payload_offset_bytes: Option<u32>,
    /// Length of the compressed payload, its trailing size word included (2.08).
    pub payload_length_bytes: Option<u32>,
    /// Preferred load address (2.10).
    pub pref_address: Option<u64>,
    /// Memory from the load address that the kernel needs before it can read its memory map (2.10).
    pub init_size_bytes: Option<u32>,
    /// EFI handover entry, from the protected-mode code (2.11; 0 = none).
    pub handover_offset_bytes: Option<u32>,
    /// Entry points and abilities (2.12).
    pub load: Option<LoadAbility>,
}

impl SetupHeader {
    /// Whether the bytes start with a boot sector that carries `HdrS`.
    pub fn is_present(image: &[u8]) -> bool {
        LE.u16(image, 0x1fe) == Some(0xaa55) && image.get(MAGIC_AT..MAGIC_AT + 4) == Some(b"HdrS")
    }

    /// Reads the header.
    ///
    /// # Errors
    /// [`Error::NotAKernel`] without the magic, [`Error::TooShort`] when the file ends inside the header.
    pub fn read(image: &[u8]) -> Result<Self> {
        if !Self::is_present(image) {
            return Err(Error::NotAKernel {
                detail: "no boot sector with HdrS at byte 0x202".to_owned(),
            });
        }
        let short = || Error::TooShort {
            what: "x86 set-up header",
            need_bytes: 0x268,
            have_bytes: image.len() as u64,
        };
        let protocol = LE.u16(image, 0x206).ok_or_else(short)?;
        // Zero stands for four, says boot.rst, for the oldest loaders' sake.
        let setup_sectors = match image.get(0x1f1).ok_or_else(short)? {
            0 => 4,
            &count => count,
        };
        let since = |version: u16| protocol >= version;
        let word = |at: usize, version: u16| -> Result<Option<u32>> {
            if since(version) {
                LE.u32(image, at).map(Some).ok_or_else(short)
            } else {
                Ok(None)
            }
        };
        let version_at = LE.u16(image, 0x20e).ok_or_else(short)?;
        let kernel_version = (version_at != 0)
            .then(|| c_string(image, VERSION_BASE + version_at as usize, 256))
            .flatten();
        let load = if since(0x020c) {
            let flags = LE.u16(image, 0x236).ok_or_else(short)?;
            Some(LoadAbility {
                entry_64: flags & 1 != 0,
                above_4g: flags & 2 != 0,
                efi_handover_32: flags & 4 != 0,
                efi_handover_64: flags & 8 != 0,
                efi_kexec: flags & 16 != 0,
                five_level_paging: flags & 32 != 0,
            })
        } else {
            None
        };
        Ok(Self {
            protocol,
            setup_sectors,
            protected_mode_offset_bytes: ((setup_sectors as usize + 1) * SECTOR_BYTES) as u64,
            kernel_version,
            loaded_high: image.get(0x211).ok_or_else(short)? & 1 != 0,
            relocatable: since(0x0205).then(|| image.get(0x234).map(|&b| b != 0)).flatten(),
            kernel_alignment_bytes: word(0x230, 0x0205)?,
            cmdline_size_bytes: word(0x238, 0x0206)?,
            payload_offset_bytes: word(0x248, 0x0208)?,
            payload_length_bytes: word(0x24c, 0x0208)?,
            pref_address: if since(0x020a) {
                Some(LE.u64(image, 0x258).ok_or_else(short)?)
            } else {
                None
            },
            init_size_bytes: word(0x260, 0x020a)?,
            handover_offset_bytes: word(0x264, 0x020b)?,
            load,
        })
    }

    /// The file range of the compressed payload; `None` before protocol 2.08 or when the header names none.
    pub fn payload_range(&self) -> Option<std::ops::Range<usize>> {
        let offset = self.payload_offset_bytes? as usize;
        let length = self.payload_length_bytes? as usize;
        if length == 0 {
            return None;
        }
        let start = (self.protected_mode_offset_bytes as usize).checked_add(offset)?;
        Some(start..start.checked_add(length)?)
    }
}
