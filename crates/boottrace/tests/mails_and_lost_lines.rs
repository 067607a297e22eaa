// SPDX-License-Identifier: MIT
//! Mails with a piece of a log, and lines that were dropped: what is no time, and whose words are whose. Texts made up for each.

mod reading;

use boottrace::costs::CostKind;
use boottrace::Part;
use reading::{boots, read};

#[test]
fn a_line_that_a_mail_broke_ends_no_silence() {
    let mail = "From: A B <a@frob.example>\nSubject: slow frob\nMIME-Version: 1.0\nContent-Transfer-Encoding: quoted-printable\n\n\
        [    7.100000] frob: registered a bus, which the machine has and nobody use=\ns\n\
        [    7.200000] quux 00:07: [mem 0x70000000-0x7fffffff window] could not b=\ne reserved\n\
        [   12.700000] quux: found 1 devices\n[   12.710000] zork: up\n[   12.720000] frob: up\n";
    let all = boots(mail);
    let longest = all[0].gaps.iter().map(|gap| gap.duration_ns).max();
    assert_eq!(longest, Some(5_500_000_000));
}

#[test]
fn a_mails_header_is_nobodys_words() {
    let mail = "Received: from frob.example (frob.example [192.0.2.7])\n\tby quux.example with ESMTP id 77\n\
        X-Greylist: delayed 777 seconds by frobgrey at quux.example because it was booting\nMessage-ID: <7@frob.example>\n\
        From: A B <a@frob.example>\nSubject: frob does not boot\n\nHello,\n\nit hangs at boot here since 6.7, because of frob.\n";
    let said = format!("{:?}", read(mail).parts);
    assert!(!said.contains("777"), "{said}");
}

#[test]
fn no_silence_ends_where_messages_were_lost() {
    let log = |text: &str| {
        format!(
            "[    0.000000] Linux version 6.7.7 (a@b) (gcc) #1 SMP\n[    0.500000] Run /sbin/init as init process\n\
             [    1.000000] frob: up\n[    4.000000] {text}\n[    4.100000] quux: up\n"
        )
    };
    let longest = |text: &str| {
        boots(&log(text))[0]
            .gaps
            .iter()
            .map(|gap| gap.duration_ns)
            .max()
            .unwrap_or(0)
    };
    assert!(longest("frob_poll: 77 callbacks suppressed") < 3_000_000_000);
    assert_eq!(longest("zork: up"), 3_000_000_000);
}

#[test]
fn a_counter_behind_the_stamp_hides_no_banner() {
    let log = "<5>[    0.000000] {4294937}Linux version 3.0.7 (a@b) (gcc) #1 SMP\r\r\n<6>[    0.700000] {4294944}frob: up\r\r\n\
               <6>[    1.000000] {4294951}Freeing init memory: 77K\r\r\n";
    let all = boots(log);
    assert!(all[0].reached_kernel && all[0].start != boottrace::log::BootStart::MiddleOfLog);
}

#[test]
fn a_delay_that_the_command_line_asks_for() {
    let log = |delay: &str, mounted: &str| {
        format!(
            "[    0.000000] Linux version 6.7.7 (a@b) (gcc) #1 SMP\n[    0.000000] Kernel command line: root=/dev/sda7 rw {delay}\n\
             [    0.600000] Run /init as init process\n[    1.100000] frob: up\n\
             [    {mounted}] EXT4-fs (sda7): mounted filesystem with ordered data mode\n[    9.000000] quux: up\n"
        )
    };
    let asked = |delay: &str, mounted: &str| {
        let all = boots(&log(delay, mounted));
        let costs = all[0].costs.clone();
        costs
            .into_iter()
            .find(|cost| cost.kind == CostKind::RootDelay)
            .and_then(|cost| cost.cost_ns)
    };
    assert_eq!(asked("rootdelay=7", "8.150000"), Some(7_050_000_000));
    // The device came earlier, or something else took longer: nobody obeyed it.
    assert_eq!(asked("rootdelay=7", "4.150000"), None);
    assert_eq!(asked("rootwait", "8.150000"), None);
}

#[test]
fn a_passphrase_is_a_persons_time() {
    let log = "[    0.000000] Linux version 6.7.7 (a@b) (gcc) #1 SMP\n[    0.600000] Run /init as init process\n\
               [    1.100000] stage-1-init: Passphrase for /dev/disk/by-uuid/77:\n[    6.200000] Key type frob registered\n\
               [    6.300000] quux: up\n";
    let longest = boots(log)[0].gaps.iter().map(|gap| gap.duration_ns).max().unwrap_or(0);
    assert!(longest < 5_000_000_000, "{longest}");
}

#[test]
fn what_somebody_loads_or_plugs_in_is_no_boot() {
    let module = "[   77.100000] frob: module license 'X' taints kernel.\n[   77.200000] BUG: unable to handle page fault at 7\n\
                  [   77.200000] CPU: 0 PID: 777 Comm: insmod Tainted: P 6.7.7\n[   77.300000] RIP: 0010:frob_init+0x7/0x70 [frob]\n";
    let camera = "[   77.100000] firewire_ohci 0000:07:07.0: IRQ 7 busReset\n[   77.200000] firewire_core 0000:07:07.0: new device fw7\n\
                  [   79.300000] firewire_core 0000:07:07.0: giving up on node ffc7: timeout\n";
    for text in [module, camera] {
        let document = read(text);
        assert!(
            document.parts.iter().all(|part| !matches!(part, Part::Boot(_))),
            "{text}"
        );
    }
}

/// What is no boot in a text.
fn no_boots(text: &str) -> Vec<String> {
    let other = |part: &Part| match part {
        Part::NotABoot(part) => Some(part.what.clone()),
        _ => None,
    };
    read(text).parts.iter().filter_map(other).collect()
}

fn is_nothing_but(text: &str, what: &[&str]) {
    let document = read(text);
    assert_eq!(no_boots(text), what, "{text}");
    assert_eq!(document.parts.len(), what.len(), "{:?}", document.parts);
}

#[test]
fn an_initrd_that_is_no_initramfs_is_not_unpacked() {
    let log = |looks: &str| {
        format!(
            "Linux version 2.6.37 (a@b) (gcc) #1\nTrying to unpack rootfs image as initramfs...\n{looks}\
             Freeing initrd memory: 777K\nfrob: up\nFreeing init memory: 77K\n"
        )
    };
    let unpacks = |looks: &str| {
        let costs = boots(&log(looks))[0].costs.clone();
        costs.iter().any(|cost| cost.kind == CostKind::InitramfsUnpacking)
    };
    assert!(unpacks(""));
    assert!(!unpacks(
        "rootfs image is not initramfs (no cpio magic); looks like an initrd\n"
    ));
}

#[test]
fn what_fails_before_no_root_device_is_found() {
    let meaning = |before: &str| {
        let log = format!(
            "[    1.100000] frob: up\n[    1.200000] {before}\n[    1.300000] /dev/root: Can't open blockdev\n\
             [    1.400000] VFS: Cannot open root device \"(null)\" or unknown-block(0,0): error -6\n"
        );
        boots(&log)[0].failures[0].meaning.clone()
    };
    let attach = meaning("UBI error: cannot attach mtd7");
    assert!(
        attach.starts_with("line 2, shortly before, says `UBI error: cannot attach mtd7`; check root="),
        "{attach}"
    );
    for other in ["nand: Bad block table not found for chip 7", "frob: timeout"] {
        assert!(meaning(other).starts_with("check root="), "{other}");
    }
}

#[test]
fn a_whole_log_behind_a_choice_is_another_piece() {
    let text = "Hello,\n\nI see this here:\n\n# dmesg | grep frob\n[    1.100000] frob frob0: up\n\
                [    1.200000] frob frob0: link\n\nThen I write to it, and it goes wrong.\n\n# dmesg\n\
                [  207.100000] frob frob0: new\n[  237.700000] frob frob0: not there\n";
    is_nothing_but(text, &["excerpt", "running-system"]);
}

#[test]
fn what_waits_where_a_machine_goes_down_is_of_no_start() {
    let text = "It does not go off here.\n\n# poweroff\nfrobd[77]: waiting for pid 78 to exit\n\n\
                [   77.000000] frob: halt\n[   77.100000] reboot: Power down\n";
    is_nothing_but(text, &["shutdown"]);
}

#[test]
fn of_a_running_system_only_words_on_a_start_are_told() {
    let text = |what: &str| {
        format!(
            "Hi,\n\nI see that the requests of frob0 get stuck when {what}, because frob_core waits.\n\n\
             [  977.000000] frob frob0: link lost\n[  987.000000] frob frob0: tries again\n"
        )
    };
    is_nothing_but(&text("its link is lost"), &["running-system"]);
    let said = format!("{:?}", read(&text("the machine boots")).parts);
    assert!(said.contains("the machine boots"), "{said}");
}

#[test]
fn a_letter_behind_a_loader_is_not_the_loaders() {
    let text = "U-Boot SPL 2031.07 (Jul 07 2031 - 07:07:07 +0000)\nTrying to boot from FROB\n\n\
                Could you please tell me what that is?\n\nThanks,\nA B\n";
    let all = boots(text);
    let end = all[0].end.as_ref().map(|end| end.text.as_str());
    assert_eq!(end, Some("Trying to boot from FROB"));
    assert_eq!(all[0].failures[0].text, "Trying to boot from FROB");
}

#[test]
fn a_device_that_is_pulled_out_heads_no_boot() {
    let piece = |first: &str| format!("[   67.100000] {first}\n[   67.200000] frob: lost\n[   67.300000] frob: gone\n");
    is_nothing_but(&piece("usb 1-7: USB disconnect, device number 7"), &["running-system"]);
    assert_eq!(boots(&piece("frob: up")).len(), 1);
}

#[test]
fn whoever_answers_late_starts_nothing_late() {
    let text =
        "Sorry for the delay, I wanted to boot the frob again.\n\nThe boot hangs for 77 seconds because of frobd.\n";
    let said = format!("{:?}", read(text).parts);
    assert!(said.contains("77 seconds") && !said.contains("Sorry"), "{said}");
}

#[test]
fn a_device_that_joins_its_group_again_is_of_another_boot() {
    let text = |words: &str| {
        format!(
            "[    1.100000] frob 1.bus: Adding to iommu group 7\n[    1.200000] frob 1.bus: up\n\n{words}\n\
             [    7.100000] frob 1.bus: Adding to iommu group 9\n[    7.200000] frob 1.bus: up\n"
        )
    };
    assert_eq!(boots(&text("And this is what I see when I change that:\n")).len(), 2);
    assert_eq!(boots(&text("")).len(), 1);
}

#[test]
fn what_a_loader_says_again_and_again_is_told() {
    let log = |rounds: usize| {
        format!(
            "U-Boot 2031.07 (Jul 07 2031 - 07:07:07 +0000)\nHit any key to stop autoboot:  3  2  1  0\n{}\
             Starting kernel ...\n\n[    0.000000] Linux version 6.7.7 (a@b) (gcc) #1 SMP\n",
            "frob check timeout.\nfrob: next\n".repeat(rounds)
        )
    };
    let told = |rounds: usize| {
        let costs = boots(&log(rounds))[0].costs.clone();
        costs.iter().any(|cost| cost.title.contains("frob check timeout."))
    };
    assert!(told(7) && !told(2));
}

#[test]
fn what_somebody_says_of_a_short_log_that_ends_in_the_kernel() {
    let text = "The image starts up but gets stuck later, I suspect the frob driver\n\nChecking if frobcmd is set ...\n\
                U-Boot 2031.07 (Jul 07 2031 - 07:07:07 +0000)\n7000000 bytes read in 77 ms (86 MiB/s)\nStarting kernel ...\n\n\
                [    0.000000] Booting Linux on physical CPU 0x0\n[    0.000000] Linux version 6.7.7 (a@b) (gcc) #1 SMP\n";
    let said = format!("{:?}", read(text).parts);
    assert!(
        said.contains("gets stuck later") && !said.contains("says `Checking"),
        "{said}"
    );
}
