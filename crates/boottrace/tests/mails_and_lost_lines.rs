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
