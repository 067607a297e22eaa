// SPDX-License-Identifier: MIT
//! What is missing from a text is no silence, and where a quotation ends no boot does; what a machine says to whoever sits
//! before it is nobody's account of the boot.

mod reading;

use boottrace::costs::CostKind;
use boottrace::facts::boot::failure::{FailureKind, Outcome};
use boottrace::Part;
use reading::{boots, read, unit_reports};

const MS: i64 = 1_000_000;

const BANNER: &str = "[    0.000000] Linux version 6.6.0 (me@here) (gcc 13) #1 SMP\n";

#[test]
fn lost_messages_are_no_silence() {
    let log = |between: &str| {
        let text =
            format!("{BANNER}[    2.000000] frob: one\n{between}[    9.000000] quux: two\n[    9.000100] quux: up\n");
        boots(&text).remove(0)
    };
    let silent = |between: &str| log(between).costs.iter().any(|cost| cost.kind == CostKind::Silence);
    assert!(silent(""));
    assert!(!silent("** 4217 printk messages dropped **\n"));
    let longest = log("** 4217 printk messages dropped **\n").longest.unwrap();
    assert!(longest.left_out && longest.duration_ns == 7_000 * MS, "{longest:?}");
    // Older kernels print it in front of the next message.
    let joined = format!(
        "{BANNER}[    2.000000] frob: one\n** 31 printk messages dropped ** [    9.000000] quux: two\n[    9.000100] quux: up\n"
    );
    let found = boots(&joined).remove(0);
    assert!(
        found.costs.iter().all(|cost| cost.kind != CostKind::Silence),
        "{:?}",
        found.costs
    );
}

#[test]
fn lines_that_share_one_word_are_a_choice() {
    let log = |third: &str| {
        let text = format!(
            "We see this:\n\n[    1.100000] QUUX core: v3\n[   27.300000] caller frob_probe+0x1/0x2 [frob_quux] maps\n\
             [   27.310000] {third}: found\n[   27.320000] QUUX frob: on\n[   27.330000] QUUX frob: v1\n\nIs it spurious?\n"
        );
        boots(&text).remove(0)
    };
    let chosen = log("QUUX core");
    assert!(
        chosen.costs.iter().all(|cost| cost.kind != CostKind::Silence),
        "{:?}",
        chosen.costs
    );
    assert_eq!(chosen.longest, None);
    let other = log("baz");
    assert!(other.longest.is_some() || other.costs.iter().any(|cost| cost.kind == CostKind::Silence));
}

#[test]
fn processors_that_go_in_user_space_end_no_wait() {
    let log = |end: &str| {
        let text = format!(
            "{BANNER}[    1.000000] Freeing unused kernel memory: 100K\n[    1.500000] init: frob starts\n\
             [    2.000000] frob: up\n[    5.000000] {end}\n[    5.100000] frob: on\n"
        );
        boots(&text).remove(0)
    };
    let waits = |end: &str| log(end).gaps.iter().any(|gap| gap.duration_ns == 3_000 * MS);
    assert!(waits("quux: ready"));
    assert!(!waits("CPU3: shutdown"));
    assert!(!waits("smpboot: CPU 3 is now offline"));
}

#[test]
fn results_of_a_measuring_program_are_no_times_of_a_boot() {
    let text = "My box is slow.\n\n41.3 k requests completed in 4.86 s, 161 MiB read, 8.50 k iops, 33.2 MiB/s\n\
                generated 41.3 k requests in 5.00 s, 161 MiB, 8.26 k iops, 32.3 MiB/s\n";
    assert!(unit_reports(&read(text)).iter().all(|report| report.costs.is_empty()));
}

/// A quotation of a kernel's first lines, with what stands inside and behind it.
fn quoted(inside: &str, behind: &str) -> boottrace::Boot {
    let line = |n: i32| format!("[    0.{n:02}0000] frob{n}: up\n");
    let lines: String = (1..30).map(line).collect();
    boots(&format!("{BANNER}{lines}{inside}[    0.900000] quux: on\n{behind}")).remove(0)
}

#[test]
fn the_end_of_a_quotation_is_no_end_of_a_boot() {
    let whole = quoted("", "");
    assert_eq!(whole.outcome, Outcome::EndsInKernel);
    assert!(whole
        .failures
        .iter()
        .any(|failure| failure.kind == FailureKind::EndsBeforeInit));
    for (inside, behind) in [
        ("[...]\n", ""),
        ("", "[...]\n\nIt is all right here.\n"),
        ("", "\nI have sent the rest to you.\n"),
    ] {
        let found = quoted(inside, behind);
        assert_eq!(found.outcome, Outcome::NotShown, "{inside}{behind}");
        assert!(found.failures.is_empty(), "{:?}", found.failures);
    }
    assert_eq!(quoted("", "\nThen it hangs for ever.\n").outcome, Outcome::EndsInKernel);
}

#[test]
fn a_broken_list_of_modules_is_nobodys_sentence() {
    let text =
        "Our boards fail to boot after the change of the frob driver.\n\n[    7.000000] Internal error: Oops: 1\n\
                [    7.100000] Modules linked in: frob_core quux_hdmi baz_wait\n\
                slow_boot_frob wait_quux cec boot_phy_frob v4l2_quux frob_hdmi_slow typec hang_ddr_perf\n";
    let shown = format!("{:?}", read(text).parts);
    assert!(
        !shown.contains("also says") || !shown.contains("wait_quux cec"),
        "{shown}"
    );
}

#[test]
fn a_programs_settings_are_no_start_scripts() {
    let text =
        "I (31) boot: chip\nSetting frob status: 30\nSetting quux flags: 7\nLoading table: 3\nthe boot is over\n";
    for part in &read(text).parts {
        if let Part::NotABoot(part) = part {
            assert!(!part.why.contains("start scripts"), "{}", part.why);
        }
    }
}

#[test]
fn what_a_loader_counts_itself_is_a_cost() {
    let text = "U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\nDRAM: 1 GiB\nMemory test end, lapsed time = 4 seconds\n\
                Total: 1812.500 ms\n\nStarting kernel ...\n\n";
    let found = boots(text).remove(0);
    let mut told: Vec<i64> = found.costs.iter().filter_map(|cost| cost.cost_ns).collect();
    told.sort_unstable();
    assert!(told.ends_with(&[1_812_500_000, 4_000 * MS]), "{:?}", found.costs);
}

#[test]
fn an_oops_tells_in_which_function_the_kernel_failed() {
    let log = |place: &str| {
        let text = format!(
            "{BANNER}[    2.000000] Unable to handle kernel paging request at virtual address ffff00001234\n\
             [    2.010000] Internal error: Oops: 96000021 [#1] PREEMPT SMP\n[    2.020000] {place}\n\
             [    2.030000] ---[ end trace 0123456789abcdef ]---\n"
        );
        boots(&text).remove(0).failures[0].meaning.clone()
    };
    for place in [
        "pc : frob_read_temp+0x4c/0xf8",
        "PC is at frob_read_temp+0x4c/0xf8",
        "RIP: 0010:frob_read_temp+0x4c/0xf8 [frob]",
        "EIP: 0060:[<c0123456>] frob_read_temp+0x4c/0xf8",
    ] {
        assert!(
            log(place).contains("failed in `frob_read_temp`"),
            "{place}: {}",
            log(place)
        );
    }
    assert!(!log("pc : 0xffff00001234").contains('`'));
}

#[test]
fn a_refused_log_that_shows_a_start_is_not_said_to_show_none() {
    let text = "Feb  1 03:04:05 box syslog.info syslogd started: BusyBox v1.30.0\n\
                Feb  1 03:04:05 box daemon.info init: starting pid 512, tty '': '/sbin/openrc default'\n\
                Feb  1 03:04:07 box auth.info sshd[600]: Server listening on 0.0.0.0 port 22.\n";
    for part in &read(text).parts {
        if let Part::NotABoot(part) = part {
            assert!(!part.why.contains("no known line of a start"), "{}", part.why);
        }
    }
}
