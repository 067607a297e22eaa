// SPDX-License-Identifier: MIT
//! Whole images of every kind, and what `inspect` says of them.

use kernelimage::{embedded_config, extract_vmlinux, inspect, symbols, Compression, ImageInfo, ImageKind, Limits};

use crate::builder::{bzimage, code, Shape};
use crate::payloads::{every, gzip, lz4};

fn look(image: &[u8]) -> ImageInfo {
    let info = inspect(image, &Limits::default());
    // The report must survive the way to Python and back.
    let json = serde_json::to_string(&info).unwrap();
    assert_eq!(serde_json::from_str::<ImageInfo>(&json).unwrap(), info);
    info
}

#[test]
fn a_bzimage_in_every_compression() {
    let shape = Shape::v6_1();
    let kernel = shape.elf(Some(0x0100_0a10));
    for (compression, packed) in every(&kernel) {
        let image = bzimage(&packed);
        let info = look(&image);
        assert_eq!(info.kind, ImageKind::BzImage);
        assert_eq!(info.notes, [""; 0]);
        assert_eq!(info.arch.as_deref(), Some("x86_64"));
        assert_eq!(info.linux.unwrap().release, "6.1.0-test");
        let [layer] = info.layers.as_slice() else {
            panic!("{:?}", info.layers);
        };
        assert_eq!(layer.compression, compression);
        assert_eq!(layer.packed_bytes, Some(packed.len() as u64));
        assert_eq!(info.elf.unwrap().pvh_entry, Some(0x0100_0a10));
        assert_eq!(info.kallsyms.unwrap().symbol_count, shape.symbols);
        assert!(!info.has_config);
        assert!(extract_vmlinux(&image, &Limits::default()).unwrap() == kernel);
        assert_eq!(symbols(&image, &Limits::default()).unwrap().len(), shape.symbols);
    }
}

#[test]
fn the_set_up_header_field_by_field() {
    let setup = look(&bzimage(&gzip(&Shape::v6_1().elf(None)))).setup.unwrap();
    assert_eq!(setup.protocol, 0x020f);
    assert_eq!(setup.protected_mode_offset_bytes, 2048);
    assert_eq!(setup.kernel_version.as_deref(), Some("6.1.0-test"));
    assert!(setup.loaded_high);
    assert_eq!(setup.relocatable, Some(true));
    assert_eq!(setup.kernel_alignment_bytes, Some(2 << 20));
    assert_eq!(setup.cmdline_size_bytes, Some(2047));
    assert_eq!(setup.pref_address, Some(0x0100_0000));
    assert_eq!(setup.init_size_bytes, Some(0x0300_0000));
    assert_eq!(setup.handover_offset_bytes, Some(0x190));
    let load = setup.load.unwrap();
    assert!(load.entry_64 && load.above_4g && load.efi_handover_64 && load.five_level_paging);
}

#[test]
fn an_old_protocol_leaves_later_fields_open_and_the_payload_is_searched() {
    let mut image = bzimage(&gzip(&Shape::v6_1().elf(None)));
    image[0x206..0x208].copy_from_slice(&0x0204_u16.to_le_bytes());
    let info = look(&image);
    let setup = info.setup.unwrap();
    assert_eq!(setup.relocatable, None);
    assert_eq!(setup.payload_offset_bytes, None);
    assert_eq!(setup.load, None);
    assert_eq!(info.layers[0].offset_bytes, 2048 + 0x2c0);
    assert_eq!(info.linux.unwrap().release, "6.1.0-test");
}

#[test]
fn a_cut_bzimage_keeps_its_header() {
    let image = bzimage(&gzip(&Shape::v6_1().elf(None)));
    let info = look(&image[..image.len() - 100]);
    assert_eq!(info.setup.unwrap().kernel_version.as_deref(), Some("6.1.0-test"));
    assert_eq!(info.linux, None);
    assert!(info.notes[0].contains("is the file complete?"), "{:?}", info.notes);
}

fn arm_kernel() -> Vec<u8> {
    Shape {
        word_bytes: 4,
        form: kernelimage::kallsyms::AddressForm::Relative,
        ..Shape::v6_1()
    }
    .flat()
}

fn zimage(packed: &[u8]) -> Vec<u8> {
    let mut image = code(0x40);
    image[0x24..0x28].copy_from_slice(&0x016f_2818_u32.to_le_bytes());
    image[0x28..0x2c].copy_from_slice(&0_u32.to_le_bytes());
    image.extend(code(3000));
    image.extend_from_slice(packed);
    let end = image.len() as u32;
    image[0x2c..0x30].copy_from_slice(&end.to_le_bytes());
    // A device tree behind the image (CONFIG_ARM_APPENDED_DTB).
    image.extend_from_slice(b"\xd0\x0d\xfe\xed and so on");
    image
}

#[test]
fn an_arm_zimage_in_every_compression() {
    let kernel = arm_kernel();
    for (compression, packed) in every(&kernel) {
        let info = look(&zimage(&packed));
        assert_eq!(info.kind, ImageKind::ArmZimage, "{compression:?}");
        assert_eq!(info.arch.as_deref(), Some("arm"));
        assert_eq!(info.layers[0].compression, compression);
        assert_eq!(info.layers[0].offset_bytes, 3064);
        assert_eq!(info.linux.unwrap().release, "6.1.0-test");
        assert_eq!(info.kallsyms.unwrap().relative_base, Some(0xc000_8000));
    }
}

#[test]
fn gzip_data_inside_a_kernel_is_not_taken_for_the_kernel() {
    let config = "CONFIG_SMP=y\n".repeat(1000);
    let mut kernel = arm_kernel();
    kernel.extend_from_slice(b"IKCFG_ST");
    kernel.extend(gzip(config.as_bytes()));
    kernel.extend_from_slice(b"IKCFG_ED");
    for image in [kernel.clone(), zimage(&gzip(&kernel)), bzimage(&kernel)] {
        assert!(extract_vmlinux(&image, &Limits::default()).unwrap() == kernel);
        assert_eq!(embedded_config(&image, &Limits::default()).unwrap(), config);
    }
    // The same data before the payload, as a device tree overlay or a logo of a zImage may be.
    let mut image = zimage(b"");
    image.extend(gzip(&code(9000)));
    image.extend(gzip(&kernel));
    assert!(extract_vmlinux(&image, &Limits::default()).unwrap() == kernel);
}

#[test]
fn an_elf_loader_around_a_kernel() {
    let kernel = arm_kernel();
    let mut loader = b"\x7fELF".to_vec();
    loader.extend(code(500));
    loader.extend(gzip(&kernel));
    let info = look(&loader);
    assert_eq!((info.kind, info.layers.len()), (ImageKind::Elf, 1));
    assert_eq!(info.linux.unwrap().release, "6.1.0-test");
}

fn arm64_kernel() -> Vec<u8> {
    let mut kernel = Shape::v6_1().flat();
    kernel[..2].copy_from_slice(b"MZ");
    kernel[8..16].copy_from_slice(&0_u64.to_le_bytes());
    kernel[16..24].copy_from_slice(&0x0123_0000_u64.to_le_bytes());
    kernel[24..32].copy_from_slice(&0xa_u64.to_le_bytes());
    kernel[0x38..0x3c].copy_from_slice(b"ARM\x64");
    kernel
}

#[test]
fn arm64_images_plain_packed_and_wrapped() {
    let kernel = arm64_kernel();
    let plain = look(&kernel);
    assert_eq!(plain.kind, ImageKind::Arm64Image);
    assert!(plain.layers.is_empty());
    let flat = plain.flat.unwrap();
    assert_eq!(
        (flat.image_size_bytes, flat.flags, flat.efi_stub),
        (0x0123_0000, 0xa, true)
    );

    let packed = look(&lz4(&kernel));
    assert_eq!(packed.kind, ImageKind::Compressed);
    assert_eq!(packed.arch.as_deref(), Some("arm64"));
    assert_eq!(packed.linux.unwrap().release, "6.1.0-test");

    let payload = gzip(&kernel);
    let mut zboot = vec![0; 0x400];
    zboot[..8].copy_from_slice(b"MZ\0\0zimg");
    zboot[8..12].copy_from_slice(&0x400_u32.to_le_bytes());
    zboot[12..16].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    zboot[24..28].copy_from_slice(b"gzip");
    zboot.extend(payload);
    let wrapped = look(&zboot);
    assert_eq!(wrapped.kind, ImageKind::EfiZboot);
    assert_eq!(wrapped.efi_zboot.unwrap().compression.as_deref(), Some("gzip"));
    assert_eq!(wrapped.arch.as_deref(), Some("arm64"));
    assert!(wrapped.kallsyms.is_some());
}

#[test]
fn a_riscv_image_by_either_magic() {
    for (at, magic) in [(0x30, &b"RISCV\0\0\0"[..]), (0x38, b"RSC\x05")] {
        let mut kernel = Shape::v6_1().flat();
        kernel[at..at + magic.len()].copy_from_slice(magic);
        let info = look(&kernel);
        assert_eq!(info.kind, ImageKind::RiscvImage);
        assert_eq!(info.arch.as_deref(), Some("riscv"));
    }
}

#[test]
fn a_uimage_around_a_zimage() {
    let inner = zimage(&gzip(&arm_kernel()));
    let mut image = 0x2705_1956_u32.to_be_bytes().to_vec();
    image.resize(64, 0);
    image[12..16].copy_from_slice(&(inner.len() as u32).to_be_bytes());
    image[16..20].copy_from_slice(&0x8000_8000_u32.to_be_bytes());
    image[32..42].copy_from_slice(b"Linux-test");
    image.extend(inner);
    let info = look(&image);
    assert_eq!(info.kind, ImageKind::Uimage);
    let header = info.uimage.unwrap();
    assert_eq!((header.name.as_str(), header.load), ("Linux-test", 0x8000_8000));
    let kinds: Vec<_> = info
        .layers
        .iter()
        .map(|layer| (layer.kind, layer.compression))
        .collect();
    assert_eq!(
        kinds,
        [
            (ImageKind::Uimage, Compression::None),
            (ImageKind::ArmZimage, Compression::Gzip)
        ]
    );
    assert_eq!(info.linux.unwrap().release, "6.1.0-test");
}

#[test]
fn the_configuration_inside() {
    let mut kernel = Shape::v6_1().elf(None);
    kernel.extend_from_slice(b"IKCFG_ST");
    kernel.extend(gzip(b"CONFIG_SMP=y\n"));
    kernel.extend_from_slice(b"IKCFG_ED");
    let image = bzimage(&gzip(&kernel));
    assert!(look(&image).has_config);
    assert_eq!(embedded_config(&image, &Limits::default()).unwrap(), "CONFIG_SMP=y\n");
}

#[test]
fn what_is_no_kernel_is_refused_with_its_reason() {
    let error = symbols(b"#!/bin/sh\n", &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("not a kernel image"), "{error}");
    assert_eq!(look(b"").kind, ImageKind::Raw);
}
