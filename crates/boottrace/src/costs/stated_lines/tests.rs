// SPDX-License-Identifier: MIT

use super::*;

#[test]
fn lines_that_say_how_long_it_took() {
    let told = [
        (
            "performance.py[DEBUG]: Running ['systemctl', 'start', 'x.service'] took 301.228 seconds",
            301_228,
        ),
        (
            "02-22 07:48:59.842    39   357 I SurfaceFlinger: Boot is finished (59816 ms)",
            59_816,
        ),
        (
            "systemd-tpm2-setup[658]: Completed TPM2 key unsealing in 1.351072s.",
            1_351,
        ),
        (
            "systemd-tpm2-setup[658]: Successfully created primary key on TPM in 251ms.",
            251,
        ),
        (
            "Boot takes very long: 6954192 bytes read in **36838 ms** (183.6 KiB/s)",
            36_838,
        ),
        (
            "DataSourceEc2.py[CRITICAL]: Giving up on md from ['http://169.254.169.254/x'] after 124 seconds",
            124_000,
        ),
        ("Finished stage: (init-local) 02.69200 seconds", 2_692),
        (
            "init: Command 'restorecon_recursive /data' took 153265ms and succeeded",
            153_265,
        ),
        ("Installing packages took about 12 seconds", 12_000),
        ("modem: firmware loaded in 4.2 s", 4_200),
        (
            "07-07 7 7 V SystemServerTiming: StartServices took to complete: 6712ms",
            6_712,
        ),
        ("the frob took 5 minutes and 20 seconds", 320_000),
        ("frobd: Waited 7.0125 without an answer", 7_012),
        (
            "\"Observed pod startup duration\" pod=\"a/b\" podStartE2EDuration=\"1m15.25s\" podCreation=\"x\"",
            75_250,
        ),
        ("[rd]: ERROR: /dev/fb0 did not appear after waiting 10 seconds!", 10_000),
    ];
    for (line, ms) in told {
        let found = stated(line).map(|stated| (stated.ns / 1_000_000, stated.at_least));
        assert_eq!(found, Some((ms, false)), "{line}");
    }
    let open = [
        (
            "card0: Spawned process '/srv/x' [112] is taking longer than 59s to complete",
            59,
        ),
        (
            "url_helper.py[WARNING]: Calling 'http://169.254.169.254/x' failed [99/120s]: request error",
            99,
        ),
        ("INFO: task fsck.ext4:1165 blocked for more than 40 seconds.", 40),
    ];
    for (line, seconds) in open {
        let found = stated(line);
        assert_eq!(
            found,
            Some(Stated {
                ns: seconds * 1_000_000_000,
                at_least: true,
                waited: false
            }),
            "{line}"
        );
    }
}

#[test]
fn lines_that_say_no_such_thing() {
    for line in [
        "",
        "took",
        "x.service: Scheduled restart job, restart in 5 seconds",
        "watchdog: timeout 60 sec",
        "will retry in 30 seconds",
        "A start job is running for X (9s / 1min 30s)",
        "Startup finished in 1.402s (kernel) + 4.000s (userspace) = 5.402s.",
        "Finished stage: (init-network) 7377869.64700 seconds",
        "clocksource: jiffies: mask: 0xffffffff, max_idle_ns: 7645041785100000 ns",
        "sched_clock: 32 bits at 24MHz, resolution 41ns, wraps every 89478484971ns",
        "mmc0: new SDHC card at address aaaa done 25 MB/s",
        "Timeout 5 seconds",
        "Cloud-init v. 9.1 finished at Tue, 03 Mar 2026 10:11:12 +0000. Datasource X.  Up 77.05 seconds",
        "Waited 7.0125 MB",
        "Version waited 7.1",
        "Hit any key to stop autoboot in 3 seconds",
        "frob-test> machine: (finished: waiting for unit frob.target, in 137.60 seconds)",
        "frob-test> test script finished in 139.27s",
        "===== 12 passed in 84.1s =====",
    ] {
        assert_eq!(stated(line), None, "{line}");
    }
}
