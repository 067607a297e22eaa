// SPDX-License-Identifier: MIT
//! Bytes that want to break the reader: nothing may panic, and the limits must hold.

use kernelimage::{inspect, Compression, Limits};
use proptest::prelude::*;

use crate::builder::{bzimage, Shape};
use crate::payloads::{every, gzip};

/// Small limits keep a case short.
fn limits() -> Limits {
    Limits {
        unpacked_bytes: 1 << 20,
        dictionary_kib: 1 << 12,
        symbols: 2000,
    }
}

fn look(image: &[u8]) {
    let info = inspect(image, &limits());
    assert!(info.layers.iter().all(|layer| layer.unpacked_bytes <= 1 << 20));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(image in proptest::collection::vec(any::<u8>(), 0..4096)) {
        look(&image);
        let _ = kernelimage::symbol::read_text(image.as_slice(), &limits());
        let _ = kernelimage::config::KernelConfig::parse(&String::from_utf8_lossy(&image));
    }

    #[test]
    fn any_bytes_behind_a_magic(tail in proptest::collection::vec(any::<u8>(), 0..2048), which in 0..7_usize) {
        let magics: [&[u8]; 7] = [
            b"\x1f\x8b\x08\0", b"\xfd7zXZ\0", b"\x5d\0\0", b"\x89LZO\0\r\n\x1a\n", b"\x02\x21\x4c\x18",
            b"\x28\xb5\x2f\xfd", b"BZh91AY&SY",
        ];
        let image = [magics[which], &tail].concat();
        look(&image);
        for (kind, _) in [(Compression::Lzma, 0), (Compression::Lz4, 1), (Compression::Zstd, 2)] {
            let _ = kernelimage::payload::decompress(kind, &image, &limits());
        }
    }

    #[test]
    fn a_kernel_with_damage(
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<proptest::sample::Index>(),
        narrow in any::<bool>(),
    ) {
        let shape = Shape { word_bytes: if narrow { 4 } else { 8 }, symbols: 520, ..Shape::v6_1() };
        for mut kernel in [shape.elf(Some(1)), shape.flat()] {
            for (place, value) in &damage {
                let place = place.index(kernel.len());
                kernel[place] = *value;
            }
            look(&kernel);
            look(&kernel[..cut.index(kernel.len())]);
        }
    }

    #[test]
    fn a_bzimage_with_a_damaged_header(damage in proptest::collection::vec((0x1f0..0x270_usize, any::<u8>()), 1..8)) {
        let mut image = bzimage(&gzip(&Shape::v6_1().elf(None)));
        for (place, value) in damage {
            image[place] = value;
        }
        look(&image);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_payloads(
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        which in 0..8_usize,
    ) {
        let (kind, mut packed) = every(&Shape::v6_1().flat()).swap_remove(which);
        for (place, value) in damage {
            let place = place.index(packed.len());
            packed[place] = value;
        }
        if let Ok(unpacked) = kernelimage::payload::decompress(kind, &packed, &limits()) {
            prop_assert!(unpacked.len() <= 1 << 20);
        }
    }
}

/// Markers without names, thousands of times: a search that starts over at each would take hours.
#[test]
fn false_markers_do_not_cost_quadratic_time() {
    let mut image = Vec::new();
    for _ in 0..(1 << 18) {
        image.extend_from_slice(&0_u32.to_le_bytes());
        image.extend_from_slice(&600_u32.to_le_bytes());
        image.extend_from_slice(&2_u32.to_le_bytes());
    }
    image.extend(Shape::v6_1().flat().split_off(4096 + 8 * 701 / 2 + 16));
    assert!(kernelimage::kallsyms::read(&image, None, &Limits::default()).is_err());
}
