// SPDX-License-Identifier: MIT
//! Kernel image and initramfs: unpacking.

use super::context::Context;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use crate::facts::firmware::facts::FirmwareStep;
use crate::log::line::Line;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    decompression(context, out);
    initramfs(context, out);
}

fn decompression(context: &Context<'_>, out: &mut Vec<Cost>) {
    let Some(step) = context
        .firmware
        .steps
        .iter()
        .find(|s| s.step == FirmwareStep::Decompressing)
    else {
        return;
    };
    let from = context.boot.lines.iter().find(|l| l.number == step.line);
    let to = context.lines.iter().find(|l| l.number >= step.line);
    let ns = from
        .and_then(|l| context.axis.host(l))
        .zip(to.and_then(|l| context.axis.host(l)))
        .map(|(a, b)| b.saturating_sub(a));
    let ns = ns.filter(|ns| *ns >= 0);
    out.push(Cost {
        title: "the kernel image is unpacked".to_owned(),
        cost_ns: ns,
        lines: vec![step.line],
        evidence: ns.map_or_else(
            || format!("`{}`, and no clock beside it", step.text),
            |ns| {
                format!(
                    "{} to the kernel's first line, early start-up without a console included",
                    spell(ns)
                )
            },
        ),
        advice: "try LZ4, LZO or no compression: which is fastest depends on the storage's speed against the CPU's"
            .to_owned(),
        ..Cost::of(CostKind::KernelDecompression)
    });
}

fn initramfs(context: &Context<'_>, out: &mut Vec<Cost>) {
    let starts = [
        "Trying to unpack rootfs image as initramfs",
        "Unpacking initramfs",
        "checking if image is initramfs",
    ];
    let Some((at, line)) = context.find(&starts) else {
        return;
    };
    let end = context.find_from(at + 1, &["Freeing initrd memory"]);
    // The kernel finds that it is none, and copies it to a RAM disk (init/initramfs.c).
    let to = end.map_or(context.lines.len(), |(to, _)| to);
    let refused = |line: &&Line| line.text.contains("looks like an initrd");
    if context.lines[at..to].iter().any(refused) {
        return;
    }
    let ns = end.and_then(|(_, end)| context.between(line, end));
    let unknown = if end.is_some() {
        "the log has no stamps there"
    } else {
        "its end is not in the log"
    };
    let parallel = context
        .kernel
        .banner
        .as_ref()
        .and_then(crate::facts::kernel::banner::KernelBanner::version)
        .is_some_and(|v| v >= (5, 13));
    out.push(Cost {
        title: "the initramfs is unpacked".to_owned(),
        cost_ns: ns,
        lines: std::iter::once(line.number).chain(end.map(|(_, l)| l.number)).collect(),
        evidence: ns.map_or(unknown.to_owned(), |ns| {
            let size = end.map_or("", |(_, l)| l.text.trim());
            let beside = if parallel {
                "; this kernel does it beside other work"
            } else {
                ""
            };
            format!("{} until `{size}`{beside}", spell(ns))
        }),
        advice: "make it smaller, or pack it with LZ4 or not at all; modules can be left out of it".to_owned(),
        ..Cost::of(CostKind::InitramfsUnpacking)
    });
}
