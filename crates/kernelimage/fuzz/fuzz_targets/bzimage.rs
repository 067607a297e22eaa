// SPDX-License-Identifier: MIT
//! Headers of bzImage, arm zImage, flat Image, EFI zboot and uImage.
#![no_main]

use kernelimage::bzimage::SetupHeader;
use kernelimage::foreign::{ArmZImage, EfiZboot, FlatImage, UImage};
use kernelimage::ImageKind;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    ImageKind::detect(data);
    if let Ok(header) = SetupHeader::read(data) {
        if let Some(range) = header.payload_range() {
            assert!(range.start <= range.end);
        }
    }
    let _ = (ArmZImage::read(data), FlatImage::read(data), EfiZboot::read(data), UImage::read(data));
});
