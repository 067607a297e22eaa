// SPDX-License-Identifier: MIT
//! Writes the seeds that are no text into `<directory>/<target>/`: images made by the tests' own builder.

#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/images/builder.rs"]
mod builder;

use std::io::Write as _;
use std::path::Path;

use builder::{bzimage, Shape};
use kernelimage::kallsyms::{AddressForm, TableOrder};
use kernelimage::ByteOrder;

fn gzip(data: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(data)?;
    writer.finish()
}

fn main() -> std::io::Result<()> {
    let root = std::env::args().nth(1).unwrap_or_else(|| "corpus".to_owned());
    let seed = |target: &str, name: &str, bytes: &[u8]| {
        let directory = Path::new(&root).join(target);
        std::fs::create_dir_all(&directory)?;
        std::fs::write(directory.join(name), bytes)
    };
    let small = Shape { symbols: 300, ..Shape::v6_1() };
    let shapes = [
        ("v6.1", small),
        ("arm", Shape { form: AddressForm::Relative, word_bytes: 4, ..small }),
        ("mips", Shape { form: AddressForm::Absolute, byte_order: ByteOrder::Big, word_bytes: 4, ..small }),
        ("v6.4", Shape { form: AddressForm::Relative, order: TableOrder::AddressesLast, sequence: true, ..small }),
        ("v7", Shape { form: AddressForm::PlaceRelative, order: TableOrder::AddressesLast, sequence: true, ..small }),
        ("v4.19", Shape { form: AddressForm::Relative, wide_markers: true, ..small }),
    ];
    for (name, shape) in shapes {
        seed("kallsyms", name, &shape.rodata(0))?;
        let whole = shape.elf(Some(0x0100_0a10));
        seed("elf", name, &whole[..512])?;
    }
    let tiny = b"Linux version 6.1.0-test (tests@bootlab) #1\nIKCFG_ST";
    let packed = gzip(&[&tiny[..], &gzip(b"CONFIG_SMP=y\n")?, b"IKCFG_ED"].concat())?;
    let image = bzimage(&packed);
    seed("image", "bzimage", &image)?;
    seed("bzimage", "header", &image[..0x280])?;
    seed("image", "elf", &small.elf(None)[..2048])?;
    seed("payload", "gzip", &packed)?;
    seed("payload", "zstd", &ruzstd::encoding::compress_to_vec(&tiny[..], ruzstd::encoding::CompressionLevel::Fastest))?;
    let block = lz4_flex::block::compress(tiny);
    let size = (block.len() as u32).to_le_bytes();
    seed("payload", "lz4", &[&0x184c_2102_u32.to_le_bytes()[..], &size[..], &block[..]].concat())?;
    seed("payload", "lzop", &include_bytes!("../../tests/data/initcalls.lzo")[..])
}
