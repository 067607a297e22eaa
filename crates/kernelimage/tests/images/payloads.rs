// SPDX-License-Identifier: MIT
//! Every compression, packed here and unpacked by the crate.

use std::fmt::Write as _;
use std::io::Write as _;

use kernelimage::payload::{decompress, search};
use kernelimage::{Compression, Error, Limits};

use crate::builder::code;

/// What `lzop -9` made of [`lzo_text`].
const LZOP: &[u8] = include_bytes!("../data/initcalls.lzo");

fn lzo_text() -> Vec<u8> {
    let mut text = String::new();
    for i in 0..40 {
        writeln!(text, "initcall {} returned 0 after {} usecs", i * 7 % 91, i * i % 977).unwrap();
    }
    text.into_bytes()
}

/// An lzop file of stored blocks, as lzop writes what it cannot compress.
fn lzop_stored(data: &[u8]) -> Vec<u8> {
    let mut file = b"\x89LZO\0\r\n\x1a\n\x10\x30\x20\xa0\x09\x40\x03\x09".to_vec();
    file.extend_from_slice(&1_u32.to_be_bytes()); // flags: a checksum of the data
    file.extend_from_slice(&[0; 12]); // mode and time
    file.push(0); // no name
    file.extend_from_slice(&[0; 4]); // checksum of the header
    for block in data.chunks(1 << 18) {
        file.extend_from_slice(&(block.len() as u32).to_be_bytes());
        file.extend_from_slice(&(block.len() as u32).to_be_bytes());
        file.extend_from_slice(&[0; 4]);
        file.extend_from_slice(block);
    }
    file.extend_from_slice(&[0; 4]);
    file
}

fn xz(data: &[u8], branch_filter: bool) -> Vec<u8> {
    let mut options = lzma_rust2::XzOptions::with_preset(3);
    options.set_check_sum_type(lzma_rust2::CheckType::Crc32);
    if branch_filter {
        options.prepend_pre_filter(lzma_rust2::FilterType::BcjX86, 0);
    }
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(data).unwrap();
    writer.finish().unwrap()
}

fn lzma(data: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::LzmaOptions::with_preset(3);
    let mut writer = lzma_rust2::LzmaWriter::new(Vec::new(), &options, true, true, None).unwrap();
    writer.write_all(data).unwrap();
    writer.finish().unwrap()
}

pub fn lz4(data: &[u8]) -> Vec<u8> {
    let mut file = 0x184c_2102_u32.to_le_bytes().to_vec();
    for block in data.chunks(8 << 20) {
        let packed = lz4_flex::block::compress(block);
        file.extend_from_slice(&(packed.len() as u32).to_le_bytes());
        file.extend_from_slice(&packed);
    }
    file
}

pub fn gzip(data: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(data).unwrap();
    writer.finish().unwrap()
}

fn bzip2(data: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    writer.write_all(data).unwrap();
    writer.finish().unwrap()
}

fn zstd(data: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(data, ruzstd::encoding::CompressionLevel::Fastest)
}

/// `data` in every packing.
pub fn every(data: &[u8]) -> Vec<(Compression, Vec<u8>)> {
    vec![
        (Compression::Gzip, gzip(data)),
        (Compression::Xz, xz(data, false)),
        (Compression::Xz, xz(data, true)),
        (Compression::Lzma, lzma(data)),
        (Compression::Lz4, lz4(data)),
        (Compression::Lzo, lzop_stored(data)),
        (Compression::Zstd, zstd(data)),
        (Compression::Bzip2, bzip2(data)),
    ]
}

#[test]
fn unpacks_every_compression_with_and_without_the_size_word() {
    let data = code(300_000);
    for (kind, packed) in every(&data) {
        assert_eq!(Compression::detect(&packed), Some(kind));
        assert!(
            decompress(kind, &packed, &Limits::default()).unwrap() == data,
            "{kind:?}"
        );
        let mut sized = packed;
        sized.extend_from_slice(&(data.len() as u32).to_le_bytes());
        assert!(
            decompress(kind, &sized, &Limits::default()).unwrap() == data,
            "{kind:?} sized"
        );
    }
}

#[test]
fn unpacks_what_lzop_wrote() {
    let unpacked = decompress(Compression::Lzo, LZOP, &Limits::default()).unwrap();
    assert_eq!(String::from_utf8(unpacked), String::from_utf8(lzo_text()));
}

#[test]
fn lz4_blocks_of_eight_mebibytes_follow_each_other() {
    let data: Vec<u8> = (0..(9_u32 << 20)).map(|i| (i >> 12) as u8).collect();
    let mut packed = lz4(&data);
    packed.extend_from_slice(&(data.len() as u32).to_le_bytes());
    // An arm zImage goes on after the size word.
    packed.extend_from_slice(&[0xab; 64]);
    assert!(decompress(Compression::Lz4, &packed, &Limits::default()).unwrap() == data);
}

#[test]
fn a_cut_payload_is_an_error() {
    for (kind, packed) in every(&code(50_000)) {
        let cut = &packed[..packed.len() / 2];
        assert!(decompress(kind, cut, &Limits::default()).is_err(), "{kind:?}");
    }
}

#[test]
fn the_limit_holds_to_the_byte() {
    let data = code(50_000);
    let limit = |unpacked_bytes| Limits {
        unpacked_bytes,
        ..Limits::default()
    };
    let mut packings = every(&data);
    packings.push((Compression::None, data.clone()));
    for (kind, packed) in packings {
        assert_eq!(
            decompress(kind, &packed, &limit(50_000)).unwrap().len(),
            50_000,
            "{kind:?}"
        );
        let error = decompress(kind, &packed, &limit(49_999)).unwrap_err();
        assert!(matches!(error, Error::TooBig { .. }), "{kind:?}: {error}");
    }
}

#[test]
fn a_huge_dictionary_is_refused_before_it_is_allocated() {
    let limits = Limits {
        dictionary_kib: 1024,
        ..Limits::default()
    };
    // zstd asking for a window of 128 MiB, as a kernel's does; lzma for a dictionary of 1 GiB.
    let frame = b"\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00";
    assert!(matches!(
        decompress(Compression::Zstd, frame, &limits),
        Err(Error::TooBig { .. })
    ));
    let mut old = lzma(&code(1000));
    old[1..5].copy_from_slice(&(1_u32 << 30).to_le_bytes());
    assert!(decompress(Compression::Lzma, &old, &limits).is_err());
}

#[test]
fn search_passes_chance_hits_and_short_files() {
    let data = code(20_000);
    for (kind, packed) in every(&data) {
        let mut image = code(1000);
        image.extend_from_slice(b"\x1f\x8b\x08\x00 no gzip, BZh9 no bzip2, \xfd7zXZ\0 no xz");
        image.extend(gzip(b"too short for a kernel"));
        let start = image.len();
        image.extend_from_slice(&packed);
        let found = search(&image, &Limits::default()).unwrap_or_else(|| panic!("{kind:?}"));
        assert_eq!((found.offset_bytes, found.compression), (start, kind));
        assert!(found.unpacked == data, "{kind:?}");
    }
}
