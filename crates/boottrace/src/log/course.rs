// SPDX-License-Identifier: MIT
//! Messages of the kernel that tell where in the life of a system they stand: only a boot prints them, only user space brings
//! them about, or a system prints them that has long been up.

/// Prints only a boot, however late it comes: what it waited for has ended (drivers of the machine's own parts, the root
/// file system, udev's and init's first steps).
pub fn only_a_boot_prints(text: &str) -> bool {
    const STARTS: [&str; 17] = [
        "udev: starting version ",
        "systemd-udevd: starting version ",
        "starting version ",
        "PNP: PS/2 ",
        "PNP: No PS/2 ",
        "serio: i8042 ",
        "i8042: PNP: ",
        "VFS: Mounted root ",
        "Freeing unused kernel ",
        "Freeing init memory: ",
        "Run /sbin/init as init",
        "Run /init as init",
        "Write protecting the kernel ",
        "TCP: Hash tables configured",
        "Trying to unpack rootfs image",
        "PCI: Using ACPI for IRQ routing",
        "Serial: 8250/16550 driver",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.starts_with(start)) || begins_udev(text)
}

/// Does Android's init start a service (system/core/init/service.cpp)? It starts one anew too, as long as the system runs.
pub fn starts_a_service(text: &str) -> bool {
    let said = text.trim_start().strip_prefix("init: starting ");
    said.is_some_and(|rest| rest.starts_with('\'') || rest.starts_with("service '"))
}

/// A message that a step of user space brings about: the kernel itself does not wait before it.
pub fn is_of_user_space(text: &str) -> bool {
    const STARTS: [&str; 9] = [
        "ADDRCONF(NETDEV_UP): ",
        "IPv6: ADDRCONF(NETDEV_UP): ",
        "Adding ",
        "init: ",
        "Bluetooth: BNEP ",
        "EXT3 FS on ",
        "NET: Registered protocol family 10",
        "NET: Registered PF_INET6",
        "lp: driver loaded but no devices found",
    ];
    let text = text.trim_start();
    let named = || {
        text.contains(": renamed from ")
            || text.contains(": re-mounted. ")
            || text.contains(": re-mounted ")
            || (text.starts_with("audit: ") && text.contains("apparmor="))
            || text.contains(": loading out-of-tree module taints kernel")
            || text.contains(": module verification failed: ")
            || (text.contains(": module license '") && text.contains("taints kernel"))
    };
    match STARTS.iter().find(|start| text.starts_with(**start)) {
        Some(&"Adding ") => text.contains("k swap on "),
        Some(_) => true,
        None => begins_udev(text) || text.starts_with("udev: starting version ") || named(),
    }
}

/// The mount of a disk's file system: the root at the latest, so what a piece shows from here on is user space's time.
pub fn mounts_a_disk(text: &str) -> bool {
    let text = text.trim_start();
    (text.starts_with("EXT") && text.contains(": mounted filesystem"))
        || (text.starts_with("XFS (") && text.contains(": Ending clean mount"))
}

/// A step between the root's mount and init, which the kernel takes itself.
pub fn goes_to_init(text: &str) -> bool {
    const STARTS: [&str; 5] = [
        "VFS: Mounted root ",
        "Freeing unused kernel ",
        "Freeing init memory: ",
        "devtmpfs: mounted",
        "Run /",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.starts_with(start))
}

/// A step of init's own, that a system which is up seldom takes again: within a minute it is the boot's.
pub fn is_step_of_init(text: &str) -> bool {
    let text = text.trim_start();
    (text.starts_with("Adding ") && text.contains("k swap on "))
        || text.contains(": re-mounted. ")
        || (text.starts_with("audit: ") && text.contains("apparmor=\"STATUS\" operation=\"profile_load\""))
}

/// A message of a system that runs: a measurement, a warning of a clock, a host's or a router's answer that came or did not
/// come (arch/x86/kernel/hpet.c, kernel/time/hrtimer.c, kernel/events/core.c, drivers/hv/hv_balloon.c, net/ipv6/ndisc.c).
pub fn comes_by_itself(text: &str) -> bool {
    const STARTS: [&str; 8] = [
        "CE: ",
        "hrtimer: interrupt took ",
        "perf: interrupt took too long",
        "perf interrupt took too long",
        "perf samples too long",
        "hv_balloon: Max. dynamic memory size",
        "clocksource: timekeeping watchdog",
        "TCP: request_sock_TCP: Possible SYN flooding",
    ];
    let text = text.trim();
    STARTS.iter().any(|start| text.starts_with(start))
        || text.ends_with(": no IPv6 routers present")
        || text.ends_with(": no IPv6 Routers available")
}

/// `udevd[357]: starting version 173`
fn begins_udev(text: &str) -> bool {
    let rest = text.strip_prefix("systemd-").unwrap_or(text);
    let Some(rest) = rest.strip_prefix("udevd") else {
        return false;
    };
    rest.contains(" starting version ") || (rest.starts_with(" version ") && rest.ends_with(" started"))
}

/// Does a late line speak of what a boot waits for: a disk, a file system, a link, or something that failed?
pub fn boot_waits_for(text: &str) -> bool {
    const WORDS: [&str; 4] = ["ink is not", "ink becomes", "ink up", "ailed"];
    speaks_of_a_disk(text) || runs_out(text) || WORDS.iter().any(|word| text.contains(word))
}

/// Is it about a disk or its file system?
pub fn speaks_of_a_disk(text: &str) -> bool {
    const STARTS: [&str; 7] = ["sd ", "scsi ", "EXT4-fs ", "EXT3-fs ", "BTRFS", "XFS ", "F2FS-fs "];
    // `ata1: `, `nvme0n1: `, `md127: `: a number follows.
    const NUMBERED: [&str; 3] = ["ata", "nvme", "md"];
    let text = text.trim_start();
    let numbered = |start: &&str| {
        text.strip_prefix(*start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    STARTS.iter().any(|start| text.starts_with(start)) || NUMBERED.iter().any(numbered)
}

/// Did something not come in its time, or does a driver load what its device runs?
pub fn runs_out(text: &str) -> bool {
    const WORDS: [&str; 5] = ["imed out", "imeout", "-110", "irmware", "FW download"];
    WORDS.iter().any(|word| text.contains(word))
}

/// Does an interface take its place in a network, or a bridge get one? Ports of a program's containers come and go.
pub fn joins_a_network(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "entered forwarding state",
        "ink becomes ready",
        "ink is not ready",
        "ink is up",
        "ink is Up",
        "ink up",
        "DHCPOFFER",
        "bound to ",
    ];
    WORDS.iter().any(|word| text.contains(word)) && !text.contains("veth") && !text.contains("docker")
}

/// Does a subsystem come up that only services ask for, which a start brings up (net/sunrpc, fs/nfsd, net/netfilter,
/// net/bluetooth/l2cap_core.c)?
pub fn sets_a_service_up(text: &str) -> bool {
    const STARTS: [&str; 7] = [
        "RPC: Registered ",
        "Installing knfsd",
        "NFSD: ",
        "ip_tables: (C)",
        "ip6_tables: (C)",
        "nf_conntrack version",
        "Bluetooth: L2CAP ",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.starts_with(start))
}

/// Does nobody of a boot wait for what a line tells: somebody at the keyboard, a program that crashed, a rule that a running
/// system breaks, a job that comes round (drivers/tty/sysrq.c, arch/*/mm/fault.c, kernel/signal.c, mm/oom_kill.c)?
pub fn awaits_nothing(text: &str) -> bool {
    const STARTS: [&str; 7] = [
        // A program at a console ends, and upstart starts it anew.
        "init: tty",
        "sysrq: ",
        "sysrq:",
        "SysRq : ",
        "potentially unexpected fatal signal",
        "traps: ",
        "Out of memory: ",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.starts_with(start)) || text.contains(" segfault at ") || ends_when_idle(text)
}

/// Does a service end that stops by itself once nobody has asked it for a while (AUDIT_SERVICE_STOP; systemd, NetworkManager,
/// PackageKit, fprintd)?
fn ends_when_idle(text: &str) -> bool {
    const SERVICES: [&str; 9] = [
        "NetworkManager-dispatcher",
        "systemd-rfkill",
        "systemd-hostnamed",
        "systemd-localed",
        "systemd-timedated",
        "packagekit",
        "fprintd",
        "geoclue",
        "dbus-org.freedesktop",
    ];
    let unit = text
        .strip_prefix("audit: type=1131 ")
        .and_then(|said| said.split_once("unit="));
    unit.is_some_and(|(_, unit)| SERVICES.iter().any(|name| unit.starts_with(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_messages_they_are() {
        for text in [
            "udevd[7]: starting version 9",
            "udev: starting version 9",
            "serio: i8042 KBD port at 0x60",
        ] {
            assert!(only_a_boot_prints(text), "{text}");
        }
        assert!(!only_a_boot_prints(
            "usb 1-1: new high-speed USB device number 2 using xhci_hcd"
        ));
        for text in [
            "Adding 1k swap on /dev/x.  Priority:-1",
            "wlan7: renamed from wlan0",
            "EXT4-fs (x): re-mounted. Opts: discard",
            "udevd version 1 started",
            "frob: loading out-of-tree module taints kernel.",
            "IPv6: ADDRCONF(NETDEV_UP): eth0: link is not ready",
        ] {
            assert!(is_of_user_space(text), "{text}");
        }
        assert!(!is_of_user_space("Adding to iommu group 3") && !is_of_user_space("EXT4-fs (x): mounted filesystem"));
        assert!(
            comes_by_itself("CE: hpet increasing min_delta_ns to 1 nsec")
                && comes_by_itself("eth9: no IPv6 routers present")
        );
        assert!(
            mounts_a_disk("EXT3-fs: mounted filesystem with x mode.") && goes_to_init("Run /sbin/init as init process")
        );
        assert!(!mounts_a_disk("EXT4-fs (x): re-mounted. Opts: y") && !mounts_a_disk("x: mounted filesystem"));
        for text in [
            "init: tty7 main process ended, respawning",
            "audit: type=1131 audit(7.7:7): pid=1 uid=0 msg='unit=systemd-rfkill comm=\"systemd\"'",
        ] {
            assert!(awaits_nothing(text), "{text}");
        }
        assert!(!awaits_nothing(
            "audit: type=1131 audit(7.7:7): pid=1 uid=0 msg='unit=frob comm=\"systemd\"'"
        ));
        assert!(!comes_by_itself("CE0: x") && !comes_by_itself("IPv6: eth0: link becomes ready"));
    }
}
