// SPDX-License-Identifier: MIT
//! What a piece of a log cannot show, and what a person writes around it. Logs made up for each class of fault.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::document::document::Part;
use boottrace::facts::boot::failure::Outcome;
use boottrace::facts::boot::stage::StageEvent;
use reading::{boots, ms, read};

const MS: i64 = 1_000_000;

/// The costs of all that is in a text, boots or not.
fn costs(text: &str) -> Vec<Cost> {
    let parts = read(text).parts;
    let of = |part: Part| match part {
        Part::Boot(boot) => boot.costs.clone(),
        Part::Units(report) => report.costs.clone(),
        _ => Vec::new(),
    };
    parts.into_iter().flat_map(of).collect()
}

fn titles(text: &str) -> Vec<String> {
    costs(text).into_iter().map(|cost| cost.title).collect()
}

#[test]
fn a_piece_shows_nothing_between_its_lines() {
    let piece = "[    3.000000] frobfs: version 2\n[   11.000000] quux_root: not ready yet\n[   11.100000] zork: up\n";
    assert_eq!(
        titles(piece),
        [
            "this text shows nothing between lines 1 and 2",
            "this text shows nothing between lines 2 and 3"
        ]
    );
}

#[test]
fn broken_answers_are_answers() {
    let card = "[   13.600000] mmc0: error -84 whilst initialising SD card\n[   14.700000] mmc0: error -84 whilst initialising SD card\n";
    assert_eq!(
        titles(card),
        ["the card or eMMC on mmc0 gives broken answers, and is tried again"]
    );
    let late = card.replace("-84", "-110");
    assert_eq!(
        titles(&late),
        ["the card or eMMC on mmc0 does not answer a request in time"]
    );
    let usb = "[    3.300000] usb 1-1: new high-speed USB device number 2 using frob\n\
        [    3.500000] usb 1-1: device descriptor read/all, error -71\n\
        [    3.900000] usb 1-1: device descriptor read/all, error -71\n";
    assert_eq!(
        titles(usb),
        ["the USB device usb 1-1 gives broken answers, and is tried again"]
    );
}

#[test]
fn numbers_are_waited_for_where_nobody_else_speaks() {
    let log = |between: &str| {
        format!(
            "[    4.400000] VFS: Mounted root (ext4 filesystem) on device 8:1.\n[    4.464000] Run /sbin/init as init process\n\
             {between}[    5.102000] random: crng init done\n[    5.103000] frob: up\n"
        )
    };
    let waits = |text: &str| {
        costs(text)
            .iter()
            .any(|cost| cost.kind == CostKind::RandomNumberWait && cost.cost_ns.is_some())
    };
    assert!(waits(&log("")));
    assert!(!waits(&log("INIT: version 2.88 booting\n")));
}

#[test]
fn without_root_no_user_space() {
    let text = "[    7.900000] bootserver=255.255.255.255\n[  474.000000] VFS: Unable to mount root fs via NFS.\n\
        [  474.100000] devtmpfs: mounted\n[  474.200000] Freeing unused kernel memory: 2048K\n";
    assert_eq!(boots(text)[0].outcome, Outcome::NotShown);
    // What went on before that line, it does not say.
    let told = "nothing is printed before `VFS: Unable to mount root fs via NFS.`";
    assert_eq!(titles(text)[0], told);
}

#[test]
fn messages_that_somebody_pasted_into_one_line() {
    let text = "> [0.071334] frob: backend found [ 5.086631] quux: Waiting for devices: 25s...20s... [ 35.142634] quux: given up\n";
    let found = costs(text);
    assert_eq!(found[0].cost_ns, Some(30_056_003_000));
}

#[test]
fn a_clock_that_jumps_bounds_the_kernels_time() {
    let text = "[    0.000000] Linux version 2.6.19 (a@b) (gcc) #1\n[    0.000000] Console: colour VGA+ 80x25\n\
        [   57.400000] Calibrating delay using timer specific routine.. 4800.00 BogoMIPS\n\
        [   58.000000] Freeing unused kernel memory: 200k freed\n";
    let boot = &boots(text)[0];
    let start = boot
        .stages
        .iter()
        .find(|stage| stage.event == StageEvent::KernelStart)
        .unwrap();
    assert!(start.at_least);
    assert_eq!(ms(boot, StageEvent::KernelStart), Some(0));
}

#[test]
fn a_co_processors_stamps_are_not_the_kernels() {
    let text = "U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\nDRAM:  1 GiB\n\
        [    6.318531] Frob-FW on t234 started\nearly console enabled.\n[    6.380337] Frob-FW on t234 ready\n3h\n\
        ASSERT [FrobDxe] /out/frob/FrobSched.c(3154): Interval >= 1\nResetting the system\n";
    let boot = &boots(text)[0];
    assert!(!boot.reached_kernel);
    assert!(
        titles(text)
            .iter()
            .any(|title| title.contains("stops in its driver FrobDxe")),
        "{:?}",
        titles(text)
    );
}

#[test]
fn what_a_person_writes_is_no_loaders() {
    let text = "In the log it looks like the job for the frob blocks the output for a minute.\n\
        U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\nDRAM:  1 GiB\nHit any key to stop autoboot:  0\nfrob>\n\
        Do you have an image on that card? It is just stopped at the loader.\n";
    let boot = &boots(text)[0];
    assert_eq!((boot.from_line, boot.to_line), (2, 5));
    let letter = "I built a version of the loader for my board and it did not start.\nU-Boot SPL 2031.01-dirty\n\
        I built the latest version of it, which is this one.\nU-Boot 2031.07-00442-g186529953f\n\
        I expected that it would boot, but it does not.\n";
    assert!(boots(letter).is_empty());
}

#[test]
fn words_above_a_whole_log_are_heard_where_it_shows_no_longer_time() {
    let log = "[    0.000000] Linux version 7.1.0 (frob@frob) #1 SMP\n[    0.010000] Memory: 1000K/2000K available\n\
        [    0.900000] Run /sbin/init as init process\n[    1.100000] systemd[1]: Started frob.\n\
        [    1.200000] systemd[1]: Reached target Multi-User System.\n\nfrob login: \n";
    let told = |words: &str| {
        let told = titles(&format!("Hello,\n\n{words}\n\n{log}"));
        told.iter()
            .any(|title| title.starts_with("beside the log, the text says "))
    };
    assert!(told(
        "The boot takes 20 seconds longer, because frobprint.service times out."
    ));
    assert!(!told(
        "The boot takes 200 ms longer, because frobprint.service times out."
    ));
    assert!(!told("I bought the frob 20 seconds ago, and it boots."));
}

#[test]
fn figures_beside_a_piece_are_heard() {
    let piece = "```\n[    3.020000] loop: module loaded\n[    3.030000] frob-smc 1e.flash: Using 50 MHz\n```\n";
    let told = titles(&format!(
        "The frob kernel takes about 9 seconds to start on my board.\n\n{piece}"
    ));
    assert!(
        told.iter()
            .any(|title| title.starts_with("beside the log, the text says `The frob kernel takes about 9 seconds")),
        "{told:?}"
    );
    let device = format!("I get: \u{201c}Timed out waiting for device dev-frob2.device.\u{201d}\n\n{piece}");
    assert_eq!(
        titles(&device)[0],
        "systemd waits for the device /dev/frob2 until its limit, and gives up"
    );
    let read = format!("**305488600 bytes read in 20165 ms (14.4 MiB/s)**\n\n{piece}");
    assert_eq!(costs(&read)[0].cost_ns, Some(20_165 * MS));
}

#[test]
fn one_failure_over_and_over() {
    let pair = |n: u32| {
        format!(
            "[    4.9{n}0000] frob_nand: read_page failed: 840{n}000 66 {n}\n[    4.9{n}5000] frob: block: 66 page: {n}\n"
        )
    };
    let text = (0..5).map(pair).collect::<Vec<_>>().concat();
    let found = costs(&text);
    assert_eq!(
        found[0].title,
        "the same failure comes again and again: `frob_nand: read_page failed: 8400000 66 0`"
    );
    assert_eq!((found[0].cost_ns, found[0].at_least), (Some(40 * MS), true));
}

#[test]
fn a_loader_that_counts_milliseconds_inside_a_page() {
    let text = "My board waits long:\n\n```\n[1118]DRAM BOOT DRIVE INFO: V0.601\n[1128]DRAM Type =9\n[6154]Training result is = 7\n\
        [6202]Failed preparing the second boot\n```\n\nwhy does it take 5 seconds?\n";
    assert_eq!(costs(text)[0].cost_ns, Some(5_026 * MS));
}

#[test]
fn lines_without_a_stamp_are_no_silence() {
    let text = "[1987.733] TFTP from server 10.0.0.1\nFilename 'Image'.\nLoading: ####\n         ####\n         [2011.448] 1.4 MiB/s\n\
        [2011.451] append: quiet\n";
    let told = titles(text);
    assert!(
        told.iter().all(|title| !title.starts_with("nothing is printed")),
        "{told:?}"
    );
}

/// What a person writes beside silences, and behind a piece of a log.
#[test]
fn a_person_is_heard_behind_a_piece() {
    let text = "# Booting frob is very slow\n\nIt says this:\n```\n[    0.111859] frobd: update needed!\n[    0.111863] frobd: no update\n```\n\
                The microcode is simply missing in the image and I've fixed it.\n";
    let told = titles(text).concat();
    assert!(
        told.contains("The microcode is simply missing in the image and I've fixed it."),
        "{told}"
    );
    let text = "# The frob is too slow!!\n\nUpon device boot, setting up zork interfaces takes way too long, close to 1 minute:\n\n\
                Sat Jan 28 12:11:20 2017 user.notice zork: Reloading zork due to ifup of frob1\n\
                Sat Jan 28 12:11:28 2017 user.notice zork: Reloading zork due to ifup of frob2\n\
                Sat Jan 28 12:11:34 2017 user.notice zork: Reloading zork due to ifup of frob3\n\
                Sat Jan 28 12:11:38 2017 user.notice zork: Reloading zork due to ifup of frob4\n";
    let told = titles(text).concat();
    assert!(told.contains("close to 1 minute"), "{told}");
}

#[test]
fn a_title_stands_beside_what_a_line_of_a_piece_states() {
    let page = "# Very long startup of frob\n\nFor some reason it takes hours to start here.\n\n```\n\
                INFO quux initialized in 2.60s\n```\n";
    let costs = costs(page);
    assert_eq!(costs[0].cost_ns, Some(2_600_000_000));
    assert!(
        costs
            .iter()
            .any(|cost| cost.title.contains("it takes hours to start here")),
        "{costs:?}"
    );
}
