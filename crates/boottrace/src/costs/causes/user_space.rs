// SPDX-License-Identifier: MIT
//! What programs say while they wait, and what the kernel says of them.

use super::cause::{before_colon, nobody, At, Cause};
use crate::costs::kind::CostKind;

pub(super) const CAUSES: &[Cause] = &[
    Cause {
        kind: CostKind::UdevSettle,
        at: At::Either,
        words: &[
            &["udevadm settle"],
            &["systemd-udev-settle"],
            &["Wait for Complete Device Initialization"],
            &["Wait for udev To Complete"],
            &["Waiting for /dev to be fully populated"],
            &["Waiting for uevents to be processed"],
            &["aiting for udev"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "the boot waits until udev has dealt with every device",
        advice:
            "see which unit pulls systemd-udev-settle.service in (systemctl list-dependencies --reverse) and let it \
                 wait for its own device instead",
    },
    Cause {
        kind: CostKind::UdevSettle,
        at: At::End,
        words: &[&["Spawned process ", "is taking longer than "], &["Worker [", "is taking a long time"], &["Worker [", "timed out"], &["SEQNUM=", "is taking a long time"]],
        subject: before_colon,
        asynchronous: false,
        title: "udev is long busy with the device {}",
        advice: "see what udev's rules run for the device (udevadm test, udev_log=debug), and the kernel's lines about it: reading \
                 a device that does not answer blocks the worker",
    },
    Cause {
        kind: CostKind::UdevSettle,
        at: At::Begin,
        words: &[&["^udev: starting version"], &["^udevd"], &["^starting version "], &["Starting version ", "udev"]],
        subject: nobody,
        asynchronous: false,
        title: "nothing is printed after udev says that it starts",
        advice: "see what udev's rules run and which modules it loads (udevadm monitor, udev_log=debug); a static /dev, or drivers \
                 built in, leave less to it",
    },
    Cause {
        kind: CostKind::InitStart,
        at: At::End,
        words: &[
            &["systemd[1]: systemd ", " running in system mode"],
            &["systemd[1]: Inserted module"],
            &["systemd[1]: Failed to lookup module alias"],
            &["systemd[1]: RTC configured in "],
            &["systemd[1]: System time before build time"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "nothing is printed before the first words of init (systemd)",
        advice: "see how fast the medium is read from which init is loaded; a smaller init with fewer libraries is loaded sooner",
    },
    Cause {
        kind: CostKind::RandomNumberWait,
        at: At::Either,
        words: &[
            &["aiting for entropy"],
            &["aiting for random"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "programs wait for random numbers",
        advice: RANDOM,
    },
    Cause {
        kind: CostKind::RandomNumberWait,
        at: At::End,
        words: &[
            &["random: crng init done"],
            &["random: nonblocking pool is initialized"],
        ],
        subject: nobody,
        asynchronous: true,
        title: "programs may wait for random numbers",
        advice: RANDOM,
    },
    Cause {
        kind: CostKind::KeyGeneration,
        at: At::Either,
        words: &[
            &["ssh-keygen"],
            &["enerating", "key"],
            &["enerating DH parameters"],
            &["Regenerate SSH host keys"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "keys are generated, as on a first boot",
        advice: "make the keys when the device is made, or generate them behind the goal; take kinds that are quick \
                 (ed25519 instead of RSA)",
    },
    Cause {
        kind: CostKind::SecurityPolicy,
        at: At::Either,
        words: &[
            &["SELinux: ", "olicy"],
            &["oaded SELinux policy"],
            &["audit: ", "policy loaded"],
            &["AppArmor parser"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "the security policy is loaded",
        advice: "load a smaller policy, compiled beforehand (AppArmor: its cache of profiles)",
    },
];

const RANDOM: &str = "give the kernel entropy early: random.trust_cpu=on, a seed from the boot loader, a hardware or \
                      virtio generator";
