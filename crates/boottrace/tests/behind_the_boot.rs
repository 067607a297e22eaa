// SPDX-License-Identifier: MIT
//! Up to where a silence is the boot's: before a later step of the start it is; behind the last one its length is told, and no
//! cost is made of it.

mod reading;

use boottrace::costs::CostKind;
use boottrace::Boot;
use reading::boots;

const MS: i64 = 1_000_000;
const BANNER: &str = "[    0.000000] Linux version 6.6.0 (me@here) (gcc 13) #1 SMP\n";
const INIT: &str = "[    3.800000] Freeing unused kernel memory: 1024K\n[    4.100000] udevd[77]: starting version 3\n";

fn boot(text: &str) -> Boot {
    boots(&format!("{BANNER}{INIT}{text}")).remove(0)
}

fn silent(boot: &Boot, ms: i64) -> bool {
    boot.costs
        .iter()
        .any(|cost| cost.kind == CostKind::Silence && cost.cost_ns == Some(ms * MS))
}

#[test]
fn what_the_command_date_prints_is_no_stamp() {
    let between = |line: &str| {
        boot(&format!(
            "[    5.000000] frob: one\nStarting quux: done\n{line}\n[   10.900000] frob: cannot get it\n\
             [   11.000000] INIT: Entering runlevel: 5\n"
        ))
    };
    for line in [
        "Fri Apr 21 12:11:33 UTC 2028",
        "Thu Jan  1 00:00:13 +0100 1970",
        "quux is up",
    ] {
        let found = between(line);
        assert!(silent(&found, 5_900), "{line}: {:?}", found.costs);
    }
}

#[test]
fn before_a_later_step_of_the_start_it_is_the_boots() {
    let log = |end: &str| {
        boot(&format!(
            "[   10.200000] frobfs (x): grown to 77 blocks\n[   23.100000] quux: core 2.1\n[   23.200000] quux: port 1\n[   23.300000] quux: port 2\n[   25.000000] quux: up\n{end}"
        ))
    };
    let stepped = log("[   32.400000] Adding 102396k swap on /var/swap.  Priority:-1 extents:4\n");
    assert!(silent(&stepped, 12_900), "{:?}", stepped.costs);
    let other = log("");
    assert!(!silent(&other, 12_900), "{:?}", other.costs);
    // Nothing ties it to the boot: its length alone is told.
    let later = other.later.expect("a later stretch");
    assert_eq!(later.duration_ns, 12_900 * MS);
}

#[test]
fn behind_a_user_nothing_is_told() {
    let later = |middle: &str, end: &str| {
        boot(&format!(
            "[    5.000000] frob: up\n{middle}[   14.000000] {end}\n[   14.100000] bar: one\n[   14.200000] bar: two\n"
        ))
        .later
    };
    assert!(later("", "quux: ready").is_some() && later("", "quux[27]: calibrated").is_some());
    assert_eq!(
        later("", "usb 1-1: new high-speed USB device number 2 using xhci_hcd"),
        None
    );
    assert_eq!(later("", "usb 1-1: USB disconnect, device number 2"), None);
    for said in [
        "frob-daemon[1685]: New session 1 of user me.",
        "systemd[623]: memfd_create() called without MFD_EXEC or MFD_NOEXEC_SEAL set",
        "warning: `quux' uses wireless extensions",
        "type=1006 audit(1397127782.936:2): pid=294 uid=0 old auid=4294967295 new auid=1000",
    ] {
        assert_eq!(later("", said), None, "{said}");
    }
    assert_eq!(later("box login: \n", "quux: ready"), None);
    // A line alone is what a system says that is up.
    assert_eq!(
        boot("[    5.000000] frob: up\n[   14.000000] healthd: battery l=87\n").later,
        None
    );
    // This console starts a shell only when somebody presses a key: init goes on behind it.
    let pressed = "Please press Enter to activate this console.\n";
    assert!(later(pressed, "quux: ready").is_some());
    assert_eq!(later(&format!("{pressed}root@box:/# \n"), "quux: ready"), None);
}

#[test]
fn in_a_piece_stamps_of_long_after_are_another_day() {
    let text =
        "[    3.300000] frob: one\n[    5.300000] frob: two\n[17274.000000] frob: gone\n[17284.700000] frob: back\n";
    for found in boots(text) {
        let longest = found.longest.map_or(0, |longest| longest.duration_ns);
        assert!(longest <= 2_000 * MS, "{longest}");
    }
}

#[test]
fn an_oops_names_the_module() {
    let text = format!(
        "{BANNER}{INIT}[    9.000000] Unable to handle kernel paging request at virtual address ffff8000125f5001\n\
         [    9.000100] Internal error: Oops: 96000021 [#1] PREEMPT SMP\n\
         [    9.000200] pc : quux_read+0x1c/0x80 [frob_quux]\n[    9.000300] ---[ end trace 0123456789abcdef ]---\n"
    );
    let found = boots(&text).remove(0);
    assert!(
        found.failures[0]
            .meaning
            .contains("in `quux_read` of the module `frob_quux`;"),
        "{:?}",
        found.failures
    );
}
