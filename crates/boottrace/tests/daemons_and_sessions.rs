// SPDX-License-Identifier: MIT
//! Whose lines stand between the kernel's in a daemon's log, what a person's session starts, and what is no wait of a start.
//! Logs made up for each class of fault.

mod reading;

use std::fmt::Write;

use boottrace::costs::{Cost, CostKind};
use boottrace::facts::boot::stage::StageEvent;
use boottrace::{Document, Part};
use reading::{boots, read};

fn titles(document: &Document) -> Vec<String> {
    let of = |costs: &[Cost]| -> Vec<String> { costs.iter().map(|cost| cost.title.clone()).collect() };
    let parts = document.parts.iter();
    parts
        .flat_map(|part| match part {
            Part::Units(report) => of(&report.costs),
            Part::Boot(boot) => of(&boot.costs),
            _ => Vec::new(),
        })
        .collect()
}

/// The kernel's lines of a boot with an initramfs, as a daemon writes them all at once, programs' between them.
fn at_once(kernels: &[(&str, &str)]) -> String {
    let mut log = String::new();
    for (at, (stamp, text)) in kernels.iter().enumerate() {
        if at == 3 {
            log += "Mar  3 10:00:07 frob systemd[1]: Starting Frob Daemon...\n\
                    Mar  3 10:00:07 frob systemd[1]: Started Daily Cleanup of Frobs.\n";
        }
        let _ = writeln!(log, "Mar  3 10:00:07 frob kernel: [{stamp:>12}] {text}");
    }
    log
}

const BANNER: (&str, &str) = ("0.000000", "Linux version 9.9.9-frob (me@frob) (gcc 9.9) #1 SMP");

#[test]
fn the_kernels_own_stamp_tells_when_the_initramfs_ends() {
    let log = at_once(&[
        BANNER,
        ("0.000000", "Command line: root=/dev/sda1"),
        ("0.700000", "Run /init as init process"),
        ("0.800000", "sda: sda1 sda2"),
        (
            "7.000000",
            "EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: (null)",
        ),
        ("9.300000", "systemd[1]: Inserted module 'autofs4'"),
        ("9.400000", "systemd[1]: systemd 999 running in system mode (+PAM)"),
        ("9.500000", "systemd[1]: Set hostname to <frob>."),
    ]);
    let boots = boots(&log);
    let boot = &boots[0];
    let switch = boot.stages.iter().find(|stage| stage.event == StageEvent::SwitchRoot);
    assert_eq!(switch.and_then(|stage| stage.ns), Some(9_300_000_000));
    let initramfs = boot.costs.iter().find(|cost| cost.kind == CostKind::InitramfsRun);
    assert_eq!(initramfs.and_then(|cost| cost.cost_ns), Some(8_600_000_000));
}

#[test]
fn a_boot_that_is_cut_in_the_kernel() {
    let log = at_once(&[
        BANNER,
        ("0.000000", "Kernel command line: root=/dev/mmcblk0p2"),
        ("0.200000", "SCSI subsystem initialized"),
        ("0.250000", "frob_otg: version 3.00a"),
        ("0.990000", "Core Release: 2.80a"),
        (
            "1.010000",
            "EXT4-fs (mmcblk0p2): INFO: recovery required on readonly filesystem",
        ),
    ]);
    let told = titles(&read(&log));
    assert!(
        told.iter().any(|title| title.starts_with("the kernel prints nothing")),
        "{told:?}"
    );
    assert!(
        !told.iter().any(|title| title.starts_with("user space prints nothing")),
        "{told:?}"
    );
}

#[test]
fn a_persons_login_starts_his_session() {
    let log = "Apr 19 17:11:31 frob systemd[1]: Starting Quux Daemon...\n\
               Apr 19 17:11:35 frob systemd[1]: Started Quux Daemon.\n\
               Apr 19 17:11:41 frob login[1056]: pam_unix(login:session): session opened for user me(uid=1000) by LOGIN(uid=0)\n\
               Apr 19 17:11:42 frob systemd[1]: Starting User Manager for UID 1000...\n\
               Apr 19 17:11:52 frob systemd[1]: Started User Manager for UID 1000.\n";
    let told = titles(&read(log));
    assert!(!told.iter().any(|title| title.contains("User Manager")), "{told:?}");
}

#[test]
fn a_stage_of_cloud_init_that_is_not_the_first() {
    let log = "Cloud-init v. 9.1 running 'init' at Mon, 01 Jan 2035 10:00:00 +0000. Up 64.50 seconds.\nci-info: frob\n";
    assert_eq!(
        titles(&read(log)),
        ["the kernel and what runs before the stage `init` of cloud-init"]
    );
}

#[test]
fn an_installer_waits_for_a_person() {
    let log = "2035-02-08 22:49:36,941 INFO subiquity:199 Starting server\n\
               2035-02-08 22:49:37,732 INFO root:30 start: subiquity/apply_config:\n\
               2035-02-08 22:50:30,732 INFO root:30 finish: subiquity/Meta/status_GET: SUCCESS: 200\n\
               2035-02-08 22:50:31,000 INFO root:30 start: subiquity/Frob:\n";
    assert!(titles(&read(log)).is_empty());
}

#[test]
fn what_a_running_system_says_for_hours() {
    let log = "frob_port: giving up port reset - device vanished\n".repeat(300);
    assert!(titles(&read(&log)).is_empty());
    let told = titles(&read(&"frob_port: giving up port reset - device vanished\n".repeat(3)));
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn data_and_names_speak_of_no_start() {
    for text in [
        "frob for volume partition-0({'size': 1127219200, 'flag': 'boot', 'number': 1})\n",
        "The project runs with a web server (the default of Spring Boot)\n",
    ] {
        assert!(read(text).parts.is_empty(), "{text}");
    }
    assert_eq!(read("my frob does not boot\n").parts.len(), 1);
}

#[test]
fn an_account_and_its_target_on_one_line() {
    let log = "Example:\nsystemd-analyse Startup finished in 35.072s (kernel) + 11.461s (userspace) = 46.533s graphical.target \
               reached after 1.380s in userspace\nsystemd-analyse blame 10.153s frob.service 408ms dev-quux.device\n";
    let told = titles(&read(log));
    assert!(told.contains(&"the kernel starts".to_owned()), "{told:?}");
    let as_unit = "systemd starts the unit `graphical.target`";
    assert!(!told.iter().any(|title| title == as_unit), "{told:?}");
    let reports = reading::unit_reports(&read(log)).len();
    assert!(reports > 0);
}

#[test]
fn an_update_of_a_running_system_is_no_start() {
    let mut log = at_once(&[
        BANNER,
        ("0.000000", "Command line: root=/dev/sda1"),
        ("2.100000", "md: raid10 personality registered for level 10"),
        ("3.500000", "udevd version 9 started"),
        ("5.200000", "NET: Registered protocol family 17"),
    ]);
    log += "Mar  3 10:00:07 frob rsyslogd: [origin software=\"rsyslogd\" swVersion=\"9.9\" x-pid=\"7\"] restart\n\
            Mar  3 10:00:08 frob quuxd: frobs are up\n";
    let updates: String = (0..40).fold(String::new(), |mut text, n| {
        let _ = writeln!(
            text,
            "Mar  3 10:{:02}:{:02} frob yum: Updated: frob-{n}.x86_64",
            2 + n / 8,
            44 + n % 8
        );
        text
    });
    log += &updates;
    log += "Mar  3 10:06:52 frob kernel: [  411.000000] udevd version 9 started\n\
            Mar  3 10:06:52 frob yum: Updated: udev-9.x86_64\n";
    let told = titles(&read(&log));
    assert!(!told.iter().any(|title| title.contains("yum")), "{told:?}");
    let boots = boots(&log);
    let late = boots[0].costs.iter().filter_map(|cost| cost.cost_ns).max();
    assert!(late < Some(60_000_000_000), "{:?}", boots[0].costs);
}

#[test]
fn nobody_is_silent_between_lines_that_somebody_chose() {
    let journal = "Mar  3 10:00:01 frob kernel: Linux version 9.9.9-frob (me@frob) (gcc 9.9) #1 SMP\n\
                   Mar  3 10:00:02 frob systemd[1]: systemd 999 running in system mode (+PAM)\n\
                   Mar  3 10:00:03 frob frobd[71]: frobs the frob\n\
                   Mar  3 10:00:23 frob quuxd[72]: frobs the quux\n\
                   Mar  3 10:00:24 frob systemd[1]: Reached target Multi-User System.\n\
                   Mar  3 10:00:24 frob systemd[1]: Startup finished in 2.500s (kernel) + 21.000s (userspace) = 23.500s.\n";
    let silent = |log: &str| {
        titles(&read(log))
            .iter()
            .any(|title| title.starts_with("nothing is logged"))
    };
    assert!(silent(journal));
    assert!(!silent(&format!(
        "{journal}me@frob:~> sudo journalctl -b | grep -Ei 'frob|systemd'\n"
    )));
}
