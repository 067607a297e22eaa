// SPDX-License-Identifier: MIT
//! From the file on disk to the kernel inside, layer by layer.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::bzimage::SetupHeader;
use crate::compression::Compression;
use crate::elf;
use crate::error::{Error, Limits, Result};
use crate::foreign::{ArmZImage, EfiZboot, FlatImage, UImage};
use crate::payload;

/// A uImage of a zboot image of a gzip file has three layers; more is no kernel.
const MAX_LAYERS: usize = 4;

/// What kind of file, or layer of a file, a kernel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImageKind {
    /// x86 `bzImage` (or the old `zImage`).
    BzImage,
    /// ELF `vmlinux`.
    Elf,
    /// arm `zImage`.
    ArmZimage,
    /// arm64 `Image`.
    Arm64Image,
    /// riscv `Image`.
    RiscvImage,
    /// EFI zboot.
    EfiZboot,
    /// U-Boot's legacy image.
    Uimage,
    /// A compressed file: `Image.gz` and the like.
    Compressed,
    /// Bytes without a header this crate knows.
    Raw,
}

impl ImageKind {
    /// Tells the kind by magic numbers.
    pub fn detect(image: &[u8]) -> Self {
        if elf::is_elf(image) {
            Self::Elf
        } else if SetupHeader::is_present(image) {
            Self::BzImage
        } else if ArmZImage::read(image).is_some() {
            Self::ArmZimage
        } else if EfiZboot::read(image).is_some() {
            Self::EfiZboot
        } else if let Some(flat) = FlatImage::read(image) {
            if flat.arch == "arm64" {
                Self::Arm64Image
            } else {
                Self::RiscvImage
            }
        } else if UImage::read(image).is_some() {
            Self::Uimage
        } else if Compression::detect(image).is_some() {
            Self::Compressed
        } else {
            Self::Raw
        }
    }
}

impl ImageKind {
    fn describe(self) -> &'static str {
        match self {
            Self::BzImage => "of a bzImage whose header names no payload",
            Self::ArmZimage => "of an arm zImage",
            Self::EfiZboot => "of an EFI zboot image",
            Self::Uimage => "of a uImage",
            _ => "without a known magic",
        }
    }
}

/// One step from the file to the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// What held the payload.
    pub kind: ImageKind,
    /// How the payload is packed.
    pub compression: Compression,
    /// Where the payload starts in this layer.
    pub offset_bytes: u64,
    /// How long it is packed, where the layer says so.
    pub packed_bytes: Option<u64>,
    /// How long it is unpacked.
    pub unpacked_bytes: u64,
}

/// The innermost kernel, and the way to it.
#[derive(Debug)]
pub struct Unpacked<'a> {
    /// The kernel: ELF on x86, a flat image on most others.
    pub kernel: Cow<'a, [u8]>,
    /// Layers from the outside in; none when the file is the kernel itself.
    pub layers: Vec<Layer>,
}

/// Unwraps and decompresses until nothing is wrapped.
///
/// # Errors
/// [`Error::NotAKernel`] when the bytes are no image and hold no payload; errors of the payload that does not unpack.
pub fn unpack<'a>(image: &'a [u8], limits: &Limits) -> Result<Unpacked<'a>> {
    let mut kernel = Cow::Borrowed(image);
    let mut layers = Vec::new();
    while layers.len() < MAX_LAYERS {
        let Some((layer, inner)) = peel(&kernel, layers.is_empty(), limits)? else {
            break;
        };
        layers.push(layer);
        kernel = Cow::Owned(inner);
    }
    Ok(Unpacked { kernel, layers })
}

/// Takes one layer off; `None` when the bytes are a kernel already.
fn peel(image: &[u8], outermost: bool, limits: &Limits) -> Result<Option<(Layer, Vec<u8>)>> {
    let kind = ImageKind::detect(image);
    let range = match kind {
        ImageKind::Arm64Image | ImageKind::RiscvImage => return Ok(None),
        // What carries the banner is the kernel; gzip data in it is its configuration or its initramfs. An ELF file
        // without one is a loader around the kernel (arch/*/boot/compressed/vmlinux, MIPS vmlinuz).
        ImageKind::Elf | ImageKind::Raw if !outermost || crate::version::find(image).is_some() => return Ok(None),
        ImageKind::Elf | ImageKind::Raw | ImageKind::ArmZimage => None,
        ImageKind::BzImage => SetupHeader::read(image)?.payload_range(),
        ImageKind::EfiZboot => EfiZboot::read(image).and_then(|zboot| {
            let start = zboot.payload_offset_bytes as usize;
            Some(start..start.checked_add(zboot.payload_length_bytes as usize)?)
        }),
        ImageKind::Uimage => UImage::read(image).and_then(|header| {
            let start = UImage::HEADER_BYTES;
            Some(start..start.checked_add(header.data_bytes as usize)?)
        }),
        ImageKind::Compressed => Some(0..image.len()),
    };
    if let Some(range) = range {
        return peel_range(kind, image, range, limits).map(Some);
    }
    match payload::search(image, limits) {
        Some(found) => Ok(Some((
            Layer {
                kind,
                compression: found.compression,
                offset_bytes: found.offset_bytes as u64,
                packed_bytes: None,
                unpacked_bytes: found.unpacked.len() as u64,
            },
            found.unpacked,
        ))),
        None if kind == ImageKind::Elf => Ok(None),
        None => Err(Error::NotAKernel {
            detail: format!(
                "{} bytes {}, and nothing in them unpacks; `file` may say what they are",
                image.len(),
                kind.describe()
            ),
        }),
    }
}

fn peel_range(
    kind: ImageKind,
    image: &[u8],
    range: std::ops::Range<usize>,
    limits: &Limits,
) -> Result<(Layer, Vec<u8>)> {
    let packed = image.get(range.clone()).ok_or(Error::TooShort {
        what: "kernel payload",
        need_bytes: range.end as u64,
        have_bytes: image.len() as u64,
    })?;
    let compression = Compression::detect(packed).unwrap_or(Compression::None);
    let unpacked = payload::decompress(compression, packed, limits)?;
    Ok((
        Layer {
            kind,
            compression,
            offset_bytes: range.start as u64,
            packed_bytes: Some(packed.len() as u64),
            unpacked_bytes: unpacked.len() as u64,
        },
        unpacked,
    ))
}

/// The innermost kernel as bytes of its own: on x86 the ELF file that `qemu -kernel` starts through its PVH entry.
///
/// # Errors
/// As [`unpack`].
pub fn extract_vmlinux(image: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    unpack(image, limits).map(|unpacked| unpacked.kernel.into_owned())
}
