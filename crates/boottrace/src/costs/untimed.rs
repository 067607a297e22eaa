// SPDX-License-Identifier: MIT
//! Lines that say what is waited for, or what does not come, where nothing tells how long: people paste them alone. Texts:
//! initramfs-tools' scripts, NixOS' stage 1, init/do_mounts.c, drivers/ata/, drivers/usb/core/, drivers/i2c/, drivers/mmc/,
//! kernel/rcu/tree_stall.h, U-Boot's drivers/net/, dhclient, systemd.

use super::causes::{ata_port, before_colon, firmware_file, holds, Words};
use super::cost::Cost;
use super::kind::CostKind;
use super::said_waits;
use super::start_jobs::{device_of, of_systemd, path_of, DEVICE_ADVICE};
use crate::log::hints::timed_out_device;
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// Waits told.
const LISTED: usize = 5;
/// Lines looked at.
const MOST: usize = 20_000;

/// One kind of wait.
struct Wait {
    kind: CostKind,
    /// Any of them will do.
    words: &'static [Words],
    subject: fn(&str) -> &str,
    title: &'static str,
    advice: &'static str,
}

const WAITS: &[Wait] = &[
    Wait {
        kind: CostKind::ResumeDeviceWait,
        words: &[&["aiting for suspend/resume device"]],
        subject: |_| "",
        title: "the initramfs waits for the device to resume from",
        advice: "name the right device in /etc/initramfs-tools/conf.d/resume, or write RESUME=none there, and make the initramfs \
                 anew (update-initramfs -u); on the command line: noresume",
    },
    Wait {
        kind: CostKind::RootDeviceWait,
        words: &[
            &["Waiting for root device /dev/"],
            &["Waiting for root device PARTUUID="],
            &["^waiting for device /dev/", " to appear"],
            &["^Gave up waiting for root"],
        ],
        subject: |_| "",
        title: "the boot waits for the root device",
        advice: "see why it does not come: root= on the command line, its driver in the kernel or the initramfs, the medium",
    },
    Wait {
        kind: CostKind::SataLink,
        words: &[
            &["^ata", ": link is slow to respond"],
            &["^ata", ": COMRESET failed"],
            &["^ata", ": softreset failed"],
            &["^ata", ": SRST failed"],
            &["^ata", ": qc timeout"],
            &["^ata", ": exception Emask ", " frozen"],
        ],
        subject: ata_port,
        title: "the ATA port {} does not answer",
        advice: "look at the disk, its cable and its supply; switch a port off where nothing is connected (libata.force=N:disable)",
    },
    Wait {
        kind: CostKind::UsbError,
        words: &[
            &["^usb ", "device descriptor read/", "error -"],
            &["^usb ", "unable to enumerate USB device"],
        ],
        subject: before_colon,
        title: "the USB device {} does not answer",
        advice: "look at the device, its cable and its supply; unplug it for one boot",
    },
    Wait {
        kind: CostKind::I2cTimeout,
        words: &[
            &["^i2c", "timed out"],
            &["^i2c", "timeout"],
            &["^i2c", "error -110"],
            &["^i2c", ": -110"],
        ],
        subject: before_colon,
        title: "a device on an I2C bus does not answer: {}",
        advice: "take a device that is not there out of the device tree; look at pull-ups, pin settings and the order in which \
                 the controller's suppliers are loaded",
    },
    Wait {
        kind: CostKind::MmcTimeout,
        words: &[
            &["^mmc", ": error -", " whilst initialising"],
            &["^mmc", "imeout waiting for hardware"],
        ],
        subject: before_colon,
        title: "the card or eMMC on {} does not answer",
        advice: "look at the card, its supply and its bus mode",
    },
    Wait {
        kind: CostKind::FirmwareFile,
        words: &[
            &["irmware file ", " not found"],
            &["icrocode ", " not available or load failed"],
        ],
        subject: firmware_file,
        title: "a driver does not find its firmware: {}",
        advice: "put the file where the driver looks for it (/lib/firmware, or the initramfs), or leave the driver out",
    },
    Wait {
        kind: CostKind::NetworkLink,
        words: &[&["aiting for PHY auto negotiation to complete", "TIMEOUT"]],
        subject: |_| "",
        title: "the boot loader waits for the network's PHY in vain",
        advice: "let the loader start the network only where it loads over it; see the PHY's address, reset and mode",
    },
    Wait {
        kind: CostKind::NetworkConfiguration,
        words: &[
            &["^No DHCPOFFERS received"],
            &["ttempting to start the DHCP client"],
            &["dhclient[", "Max retransmission duration exceeded"],
        ],
        subject: |_| "",
        title: "an address is asked for (DHCP)",
        advice: "give the interface a fixed address, or let only those wait for one who need it",
    },
    Wait {
        kind: CostKind::NetworkConfiguration,
        words: &[
            &["wait-online[", "imed out"],
            &["wait-online[", "Timeout occurred"],
        ],
        subject: |_| "",
        title: "a program waits until the network is up (wait-online), and gives up",
        advice: "let it wait for the one interface that is needed (--interface=, --any), or take it out where nobody needs it",
    },
    Wait {
        kind: CostKind::DeviceTimeout,
        words: &[&["rcu: INFO: rcu_", "detected stall"], &["^INFO: rcu_", "detected stall"]],
        subject: |_| "",
        title: "a processor does not go on (RCU stall)",
        advice: "the trace behind the line shows where it is stuck; in a virtual machine, see whether the host runs it",
    },
    Wait {
        kind: CostKind::UnitFailure,
        words: &[&["^Job for ", ".service failed because "]],
        subject: |text| text.split(' ').nth(2).unwrap_or(""),
        title: "the start of a unit fails: {}",
        advice: "see `systemctl status` of it, and who waits for it (systemd-analyze critical-chain)",
    },
    Wait {
        kind: CostKind::UnitFailure,
        words: &[&["^systemd[1]: Failed to mount "], &["^Failed to mount "]],
        subject: |text| text.split_once("mount ").map_or("", |(_, rest)| rest.trim_end_matches('.')),
        title: "a mount fails: {}",
        advice: "see `systemctl status` of it; `nofail`, `_netdev` and x-systemd.automount in fstab keep the boot from waiting",
    },
];

/// The waits that lines tell of without a time, each once: those that a rule knows, else those in anybody's words.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line> + Clone) -> Vec<Cost> {
    let known = known(lines.clone());
    if known.is_empty() {
        said_waits::of_lines(lines)
    } else {
        known
    }
}

fn known<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let mut out: Vec<Cost> = Vec::new();
    for line in lines.take(MOST) {
        let Some((kind, title, advice)) = told(line) else {
            continue;
        };
        match out.iter().position(|cost| cost.title == title) {
            Some(at) if out[at].lines.len() < LISTED => out[at].lines.push(line.number),
            None if out.len() < LISTED => out.push(cost(kind, title, line, advice)),
            _ => {}
        }
    }
    out
}

fn told(line: &Line) -> Option<(CostKind, String, &'static str)> {
    if let Some(name) = of_systemd(line).and_then(device) {
        let title = format!(
            "systemd waits for the device {} until its limit, and gives up",
            shorten(&path_of(name))
        );
        return Some((CostKind::DeviceWait, title, DEVICE_ADVICE));
    }
    let text = line.text.trim_start().trim_start_matches("> ");
    let with_process = || Some(format!("{}[ {text}", line.process.as_deref()?));
    let whole = with_process();
    let fits = |words: Words| holds(text, words) || whole.as_deref().is_some_and(|whole| holds(whole, words));
    let wait = WAITS.iter().find(|wait| wait.words.iter().any(|words| fits(words)))?;
    let title = wait.title.replace("{}", &shorten((wait.subject)(text)));
    Some((wait.kind, title.trim_end_matches([':', ' ']).to_owned(), wait.advice))
}

/// `Timed out waiting for device dev-tpm0.device - /dev/tpm0.`
fn device(said: &str) -> Option<&str> {
    let name = said.strip_prefix("Timed out waiting for device ");
    let name = name.or_else(|| timed_out_device(said))?;
    let name = device_of(name);
    (!name.is_empty()).then(|| name.trim_end_matches(".device"))
}

fn cost(kind: CostKind, title: String, line: &Line, advice: &str) -> Cost {
    let evidence = format!("`{}`; nothing tells for how long", shorten(line.text.trim()));
    Cost::without_time(kind, title, line.number, evidence, advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        let line = Line::plain(1, 0, text.to_owned());
        told(&line).map(|(_, title, _)| title)
    }

    #[test]
    fn lines_that_name_a_wait() {
        let named = [
            (
                "Begin: Waiting for suspend/resume device ... Begin: Running /scripts/local-block ... done.",
                "resume from",
            ),
            ("> waiting for device /dev/vg/root to appear......", "root device"),
            ("stuck at Waiting for root device /dev/mmcblk1p2...", "root device"),
            (
                "ata7: link is slow to respond, please be patient (ready=0)",
                "ATA port ata7",
            ),
            (
                "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x2 frozen",
                "ATA port ata1",
            ),
            (
                "i2c_designware i2c_designware.1: controller timed out",
                "I2C bus does not answer: i2c_designware i2c_designware.1",
            ),
            ("usb 1-7: device descriptor read/64, error -110", "usb 1-7"),
            (
                "phy0 ERROR: Firmware file \"b43/ucode16.fw\" not found",
                "firmware: b43/ucode16.fw",
            ),
            (
                "ETH Waiting for PHY auto negotiation to complete......... TIMEOUT !",
                "PHY",
            ),
            ("systemd[1]: Failed to mount /mnt/disk.", "a mount fails: /mnt/disk"),
            (
                "Job for frob.service failed because the control process exited with error code.",
                "the start of a unit fails: frob.service",
            ),
            (
                "systemd[1]: Timed out waiting for device dev-tpm0.device - /dev/tpm0.",
                "/dev/tpm0",
            ),
        ];
        for (text, title) in named {
            let told = of(text);
            assert!(
                told.as_ref().is_some_and(|told| told.contains(title)),
                "{text}: {told:?}"
            );
        }
    }

    #[test]
    fn lines_that_name_none() {
        for text in [
            "",
            "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
            "the data1: link is slow to respond",
            "i2c i2c-0: 1/1 memory slots populated",
            "usb 1-1: new high-speed USB device number 2",
            "Waiting for root device on the command line",
            "ETH Waiting for PHY auto negotiation to complete.... done",
            "Failed to start x.service",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
