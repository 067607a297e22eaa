// SPDX-License-Identifier: MIT
//! Prompts of the machine at which somebody sat: it started an emulator or a terminal program, or had a log printed. They
//! are no sign that the booted system can be used.

use crate::log::line::{Line, LineKind};

/// Programs that show another machine's console, or print a log.
const SHOWS: [&str; 24] = [
    "kvm",
    "lkvm",
    "firecracker",
    "cloud-hypervisor",
    "crosvm",
    "virtme-run",
    "virtme-ng",
    "vng",
    "virsh",
    "xl",
    "minicom",
    "picocom",
    "screen",
    "tio",
    "cu",
    "telnet",
    "ssh",
    "socat",
    "kermit",
    "grabserial",
    "cat",
    "dmesg",
    "journalctl",
    "adb",
];

/// Marks such prompts as typed: the first one stands before all of the log, and runs one of those programs.
pub fn mark_host_prompts(lines: &mut [Line]) {
    let Some((at, who)) = first(lines) else { return };
    for line in &mut lines[at..] {
        if line.kind == LineKind::Outside && prompt(&line.text).is_some_and(|(host, _)| host == who) {
            line.kind = LineKind::Typed;
        }
    }
}

fn first(lines: &[Line]) -> Option<(usize, String)> {
    let logged = |line: &Line| line.has_kernel_prefix() || line.host_ns.is_some() || line.firmware_ns.is_some();
    let before = lines.iter().take_while(|line| !logged(line)).enumerate();
    before
        .filter(|(_, line)| line.kind == LineKind::Outside)
        .find_map(|(at, line)| {
            let (who, command) = prompt(&line.text)?;
            shows(command).then(|| (at, who.to_owned()))
        })
}

/// `user@host` and the command of `user@host:~/work$ command`.
fn prompt(text: &str) -> Option<(&str, &str)> {
    let (who, rest) = text.trim().split_once(':')?;
    let (user, host) = who.split_once('@')?;
    let name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
    };
    let end = rest.find(['$', '#', '%'])?;
    let path = rest[..end].trim_end();
    let command = &rest[end + 1..];
    let place = path.starts_with(['~', '/']) && !path.contains(char::is_whitespace);
    (name(user) && name(host) && place && (command.is_empty() || command.starts_with(' ')))
        .then_some((who, command.trim()))
}

fn shows(command: &str) -> bool {
    let mut words = command.split_ascii_whitespace();
    let program = words.find(|word| *word != "sudo").unwrap_or("");
    let program = program.rsplit('/').next().unwrap_or("");
    program.starts_with("qemu-system-") || SHOWS.contains(&program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(texts: &[&str]) -> Vec<LineKind> {
        let mut lines: Vec<Line> = (1..)
            .zip(texts)
            .map(|(number, text)| Line::plain(number, 0, (*text).to_owned()))
            .collect();
        mark_host_prompts(&mut lines);
        lines.into_iter().map(|line| line.kind).collect()
    }

    #[test]
    fn the_host_is_not_the_machine() {
        use LineKind::{Outside, Typed};
        assert_eq!(
            kinds(&[
                "me@pc:~$ sudo qemu-system-arm -M virt",
                "box login:",
                "me@pc:~$ ",
                "root@box:~# "
            ]),
            [Typed, Outside, Typed, Outside]
        );
        // The machine itself is started again.
        assert_eq!(kinds(&["root@box:~# reboot", "U-Boot", "root@box:~# "]), [Outside; 3]);
        assert_eq!(kinds(&["a@b: c$", "@:/$", "x:~$ dmesg", ""]), [Outside; 4]);
    }
}
