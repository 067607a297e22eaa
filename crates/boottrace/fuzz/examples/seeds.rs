// SPDX-License-Identifier: MIT
//! Writes the seeds that are no text into `<directory>/<target>/`: traces and archives, made by the tests' own writers.

#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/calls_trace_dat/writer.rs"]
mod writer;

use std::io::Write as _;
use std::path::Path;

use writer::{Packing, Writer};

fn trace(version: u32, packing: Packing, big: bool) -> Vec<u8> {
    let mut writer = Writer::new(version, packing, big, 8);
    let function = 0xffff_0000_1000;
    writer.level(0, 1_000, 1, "device");
    writer.initcall_start(0, 2_000, 1, function);
    writer.graph_entry(0, 3_000, 1, function, 0);
    writer.graph_exit(0, 1, function, 0, (3_000, 600_000));
    writer.initcall_finish(0, 700_000, 1, function, -19);
    writer.switch(1, 900_000_000, ("swapper/0", 1), ("kworker/0:1", 30));
    writer.print(1, 900_300_000, 1, "hello");
    writer.finish()
}

fn main() -> std::io::Result<()> {
    let root = std::env::args().nth(1).unwrap_or_else(|| "corpus".to_owned());
    let seed = |target: &str, name: &str, bytes: &[u8]| {
        let directory = Path::new(&root).join(target);
        std::fs::create_dir_all(&directory)?;
        std::fs::write(directory.join(name), bytes)
    };
    for (version, packing) in [(6, Packing::Plain), (7, Packing::Plain), (7, Packing::Zlib), (7, Packing::Zstd)] {
        for big in [false, true] {
            seed("trace_dat", &format!("v{version}-{packing:?}-{big}"), &trace(version, packing, big))?;
        }
    }
    for big in [false, true] {
        let file = trace(6, Packing::Plain, big);
        let page = &file[file.len() - 3 * 4096..];
        let first = page[16..200].to_vec();
        let choice = [u8::from(big)];
        seed("trace_dat_ring", &format!("page-{big}"), &[&choice, &first[..], &first[..]].concat())?;
    }
    let text = b"[    0.000000] Linux version 6.1.0 (a@b) #1\n[    0.100000] a\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text)?;
    let gzip = gzip.finish()?;
    let zstd = ruzstd::encoding::compress_to_vec(&text[..], ruzstd::encoding::CompressionLevel::Fastest);
    for target in ["archive", "any_format"] {
        seed(target, "log.gz", &gzip)?;
        seed(target, "log.zst", &zstd)?;
        seed(target, "log.xz", include_bytes!("../../tests/data/banner.xz"))?;
    }
    let mut head = [0_u8; 512];
    head[..11].copy_from_slice(b"proc_ps.log");
    head[124..135].copy_from_slice(b"00000000001");
    head[156] = b'0';
    head[257..262].copy_from_slice(b"ustar");
    head[148..156].fill(b' ');
    let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut tar = [&head[..], b"1"].concat();
    tar.resize(1024, 0);
    for target in ["bootchart", "any_format", "detection"] {
        seed(target, "one.tar", &tar)?;
    }
    Ok(())
}
