// SPDX-License-Identifier: MIT
//! A command line in a text that asks for a wait before root is mounted.

use crate::costs::{Basis, Cost, CostKind};
use crate::log::clock::NS_PER_S;
use crate::log::line::Line;
use crate::log::sentence::is_sentence;
use crate::text::shorten::shorten;

/// So many parameters in one line are a command line.
const PARAMETERS: usize = 3;

/// `root=/dev/sda2`, `quiet`
fn is_parameter(word: &str) -> bool {
    let named = word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    });
    named
        || matches!(
            word,
            "quiet" | "ro" | "rw" | "splash" | "rootwait" | "debug" | "nosplash" | "BOOT_IMAGE"
        )
}

/// `append root=...`, `GRUB_CMDLINE_LINUX="..."`, `kernel /vmlinuz ...`
fn names_a_command_line(text: &str) -> bool {
    const NAMES: [&str; 8] = [
        "append",
        "kernel ",
        "linux ",
        "linux\t",
        "GRUB_CMDLINE",
        "Kernel command line",
        "BOOT_IMAGE=",
        "bootargs",
    ];
    let text = text.trim_start_matches(['>', ' ', '\t', '+', '#']);
    NAMES
        .iter()
        .any(|name| text.starts_with(name) || text.starts_with(&name.to_uppercase()))
}

/// `rootdelay=300` among the parameters of a kernel: so many seconds pass before root is mounted, whatever is there.
///
/// Only in a command line: what a person proposes, or has tried, is no parameter of this boot.
pub(super) fn root_delay(line: &Line) -> Option<Cost> {
    let parameters = || line.text.split([' ', '`', '"', '\'']).filter(|word| is_parameter(word));
    if is_sentence(line.text.trim()) || parameters().count() < PARAMETERS && !names_a_command_line(&line.text) {
        return None;
    }
    let words = line.text.split([' ', '`', '"', '\'']);
    let seconds = words.filter_map(|word| word.strip_prefix("rootdelay=")?.parse::<u16>().ok());
    let ns = i64::from(seconds.max().filter(|seconds| *seconds > 0)?) * NS_PER_S;
    let advice = "rootwait waits only as long as the device takes to come; leave rootdelay= out";
    let evidence = format!("`{}`", shorten(line.text.trim()));
    let title = "the kernel's parameter rootdelay= asks for a wait before root is mounted".to_owned();
    Some(Cost {
        cost_ns: Some(ns),
        basis: Basis::Printed,
        ..Cost::without_time(CostKind::RootDelay, title, line.number, evidence, advice)
    })
}

#[cfg(test)]
mod tests {
    use super::root_delay;
    use crate::log::line::lines_of;

    #[test]
    fn a_parameter_that_is_set_and_one_that_is_proposed() {
        let ns = |text: &str| root_delay(&lines_of(text)[0]).and_then(|cost| cost.cost_ns);
        for text in [
            "append initrd=frob.img root=/dev/sda2 ro rootdelay=30",
            "GRUB_CMDLINE_LINUX=\"rootdelay=30\"",
            "root=/dev/sda2 ro quiet rootdelay=30",
        ] {
            assert_eq!(ns(text), Some(30_000_000_000), "{text}");
        }
        for text in [
            "rootfs device nodes to appear, or you could try adding rootdelay=30 to",
            "I have set rootdelay=30 but it does not help.",
            "rootdelay=30",
            "append root=/dev/sda2 rootdelay=0",
        ] {
            assert_eq!(ns(text), None, "{text}");
        }
    }
}
