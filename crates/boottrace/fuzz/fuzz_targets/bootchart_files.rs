// SPDX-License-Identifier: MIT
//! The files of a bootchart archive, all with the same bytes, so that every execution runs every reader.
#![no_main]

use boottrace::readers::userspace::bootchart::parse;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 6] =
    ["header", "proc_stat.log", "proc_ps.log", "proc_diskstats.log", "kernel_pacct", "dmesg"];

fn member(out: &mut Vec<u8>, name: &str, data: &[u8]) {
    let mut head = [0_u8; 512];
    head[..name.len()].copy_from_slice(name.as_bytes());
    head[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
    head[156] = b'0';
    head[257..262].copy_from_slice(b"ustar");
    head[148..156].fill(b' ');
    let sum: u32 = head.iter().map(|&b| u32::from(b)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend(head);
    out.extend(data);
    out.resize(out.len().div_ceil(512) * 512, 0);
}

fuzz_target!(|data: &[u8]| {
    let mut archive = Vec::new();
    for name in NAMES {
        member(&mut archive, name, data);
    }
    archive.resize(archive.len() + 1024, 0);
    let chart = parse(&archive[..]).expect("an archive of bootchart's files");
    assert_eq!(chart.files.len(), NAMES.len());
    chart.timeline("t");
});
