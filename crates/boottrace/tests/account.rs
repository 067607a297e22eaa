// SPDX-License-Identifier: MIT
//! The account of a boot: where its stages begin, what may be gained, what is no boot. Logs made up for each class of fault.

use boottrace::costs::{Cost, CostKind};
use boottrace::facts::boot::failure::Outcome;
use boottrace::facts::boot::stage::{Stage, StageEvent};
use boottrace::{analyze, Boot, Document, Options, Part};

fn read(log: &str) -> Document {
    analyze("log", log.as_bytes(), &Options::default()).unwrap()
}

fn boot(log: &str) -> Boot {
    read(log).boots().next().expect("a boot").clone()
}

fn stage(boot: &Boot, event: StageEvent) -> &Stage {
    boot.stages
        .iter()
        .find(|stage| stage.event == event)
        .expect("the stage")
}

fn ms(boot: &Boot, event: StageEvent) -> Option<i64> {
    boot.stages
        .iter()
        .find(|stage| stage.event == event)?
        .ns
        .map(|ns| ns / 1_000_000)
}

fn cost(boot: &Boot, kind: CostKind) -> Option<&Cost> {
    boot.costs.iter().find(|cost| cost.kind == kind)
}

/// A kernel of before 4.20, whose init speaks long after it was started.
const OLD: &str = "\
[    0.000000] Linux version 4.4.0 (a@b) (gcc) #1 SMP
[    0.300000] Unpacking initramfs...
[    0.500000] Freeing initrd memory: 18076K
[    0.900000] Freeing unused kernel memory: 1188K
[    0.901000] Write protecting the kernel read-only data: 8192k
[    0.902000] Freeing unused kernel memory: 392K
[    1.500000] usb 1-1: new device
[    2.500000] EXT4-fs (sda1): mounted filesystem with ordered data mode
[    3.600000] systemd[1]: systemd 229 running in system mode. (+PAM)
[    4.800000] systemd[1]: Mounting Debug File System...
[    5.000000] systemd[1]: Started Create Static Device Nodes in /dev.
";

#[test]
fn user_space_starts_where_init_memory_is_freed() {
    let boot = boot(OLD);
    assert_eq!(boot.outcome, Outcome::UserSpace);
    // init runs only behind what is freed and protected before it (init/main.c: kernel_init).
    assert_eq!(ms(&boot, StageEvent::UserSpaceStart), Some(902));
    assert_eq!(ms(&boot, StageEvent::Initramfs), Some(902));
    assert_eq!(ms(&boot, StageEvent::SwitchRoot), Some(3600));
    assert!(stage(&boot, StageEvent::SwitchRoot).at_most);
    assert_eq!(ms(&boot, StageEvent::RcScripts), Some(4800));
    assert_eq!(
        cost(&boot, CostKind::InitramfsRun).unwrap().cost_ns,
        Some(2_698_000_000)
    );
}

#[test]
fn syslog_and_dmesg_give_the_same_account() {
    let syslog: Vec<String> = OLD
        .lines()
        .map(|line| format!("Jul 28 23:49:12 debian kernel: {line}"))
        .collect();
    let syslog = syslog.join("\n");
    let (dmesg, syslog) = (boot(OLD), boot(&syslog));
    for event in [
        StageEvent::KernelStart,
        StageEvent::UserSpaceStart,
        StageEvent::Initramfs,
        StageEvent::SwitchRoot,
        StageEvent::RcScripts,
    ] {
        assert_eq!(ms(&dmesg, event), ms(&syslog, event), "{event:?}");
    }
    let told = |boot: &Boot| {
        boot.costs
            .iter()
            .map(|cost| (cost.kind, cost.cost_ns))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&dmesg), told(&syslog));
}

#[test]
fn a_kernel_that_mounts_root_itself_has_no_initramfs() {
    let boot = boot(&OLD.replace(
        "[    0.900000] Freeing",
        "[    0.850000] VFS: Mounted root (ext4 filesystem) on device 8:1.\n[    0.900000] Freeing",
    ));
    assert_eq!(ms(&boot, StageEvent::Initramfs), None);
    assert_eq!(ms(&boot, StageEvent::UserSpaceStart), Some(902));
}

#[test]
fn a_log_that_ends_where_the_kernel_does_has_come_to_user_space() {
    let boot = boot(
        "[    0.000000] Linux version 3.0 (a@b) (gcc) #1\n[    1.000000] VFS: Mounted root (nfs filesystem) readonly.\n\
         [    1.100000] Freeing unused kernel memory: 140k freed\n",
    );
    assert_eq!(boot.outcome, Outcome::UserSpace);
    assert!(boot.failures.is_empty());
}

#[test]
fn systemds_account_is_read_and_makes_the_axis_of_a_log_without_stamps() {
    let log = "\
-- Logs begin at Fri 2022-02-04 09:34:04 UTC, end at Thu 2022-02-10 16:19:19 UTC. --
Feb 09 22:38:11 host kernel: Linux version 5.4.0 (a@b) (gcc) #1 SMP
Feb 09 22:38:11 host kernel: Run /init as init process
Feb 09 22:38:11 host systemd[1]: systemd 245 running in system mode. (+PAM)
Feb 09 22:38:20 host systemd[1]: Started Create Static Device Nodes in /dev.
Feb 09 22:38:29 host systemd[1]: Startup finished in 1.500s (firmware) + 2.500s (kernel) + 3.000s (initrd) + 20.000s (userspace) = 27.000s.
Feb 09 22:40:00 host systemd[4522]: Startup finished in 391ms.
-- Reboot --
Feb 09 23:00:11 host kernel: Linux version 5.4.0 (a@b) (gcc) #1 SMP
Feb 09 23:00:11 host kernel: Run /init as init process
";
    let document = read(log);
    let boots: Vec<&Boot> = document.boots().collect();
    assert_eq!(boots.len(), 2);
    let account = boots[0].startup.as_ref().unwrap();
    assert_eq!(
        (account.part("initrd"), account.total_ns),
        (Some(3_000_000_000), Some(27_000_000_000))
    );
    assert_eq!(ms(boots[0], StageEvent::KernelStart), Some(0));
    assert_eq!(ms(boots[0], StageEvent::UserSpaceStart), Some(2500));
    assert_eq!(ms(boots[0], StageEvent::SwitchRoot), Some(5500));
    // The daemon read the kernel's lines late: without the account they are upper bounds.
    assert!(boots[1].startup.is_none());
    assert!(stage(boots[1], StageEvent::UserSpaceStart).at_most);
}

#[test]
fn a_login_prompt_wins_over_an_echo() {
    let log = "\
[    0.000000] Linux version 6.1 (a@b) (gcc) #1
[    1.000000] Run /sbin/init as init process
#
[    5.000000] random: crng init done
board login: [    7.500000] cfg80211: loaded
<LAVA_SIGNAL_STARTRUN 0_dmesg 1>
#
";
    let boot = boot(log);
    let first = stage(&boot, StageEvent::FirstUse);
    assert_eq!((first.line, ms(&boot, StageEvent::FirstUse)), (Some(5), Some(5000)));
    let alone = self::boot(&log.replace("board login: ", ""));
    assert_eq!(stage(&alone, StageEvent::FirstUse).line, None);
}

#[test]
fn silences_end_with_the_boot_and_need_stamps_in_order() {
    let log = "\
[    0.000000] Linux version 4.4.0 (a@b) (gcc) #1
[    0.100000] one
[    2.200000] two
[    2.100000] of another processor
[    2.900000] three
[    3.000000] Freeing unused kernel memory: 1188K
[    4.000000] in user space
[    8.900000] in user space
[   40.000000] hours later
[  140.000000] hours later
";
    let gaps: Vec<_> = boot(log)
        .gaps
        .iter()
        .map(|gap| (gap.after_line, gap.duration_ns / 1_000_000))
        .collect();
    assert_eq!(gaps, [(7, 4900), (2, 2100), (6, 1000), (3, 700), (5, 100)]);
}

#[test]
fn a_time_behind_a_loader_without_a_clock_is_a_lower_bound() {
    let log = "\
Format: Log Type - Time(microsec) - Message - Optional Info
Log Type: B - Since Boot(Power On Reset),  D - Delta,  S - Statistic
B -       261 - PBL, Start
B -     97115 - SBL1, Start
B -   1756299 - SBL1, End
U-Boot 2012.07 (Dec 19 2018 - 08:16:11)
Hit any key to stop autoboot:  2
Starting kernel ...
[    0.000000] Linux version 4.4.60 (a@b) (gcc) #7
[    4.000000] Freeing unused kernel memory: 228K
[    4.500000] init: Console is alive
[    9.000000] procd: - init -
board login:
";
    let boot = boot(log);
    assert!(stage(&boot, StageEvent::KernelStart).at_least);
    let interval = |from, to| boot.intervals.iter().find(|i| i.from == from && i.to == to).unwrap();
    assert!(interval(StageEvent::Firmware, StageEvent::KernelStart).at_least);
    // Two stamps of one clock are as far apart as they say.
    let kernel = interval(StageEvent::KernelStart, StageEvent::UserSpaceStart);
    assert_eq!((kernel.at_least, kernel.duration_ns), (false, Some(4_000_000_000)));
    let names: Vec<String> = boottrace::document::quantity::quantities(&boot)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert!(
        names.contains(&"stage:kernel-start..user-space-start".to_owned()),
        "{names:?}"
    );
    assert!(
        !names.iter().any(|name| name.starts_with("stage:firmware..")),
        "{names:?}"
    );
    assert!(!names.contains(&"stage:boot-loader".to_owned()), "{names:?}");
    assert_eq!(
        cost(&boot, CostKind::BootLoaderDelay).unwrap().gain_ns,
        Some(2_000_000_000)
    );
    assert!(cost(&boot, CostKind::FirmwareStep).is_some());
}

#[test]
fn a_firmware_alone_ends_with_its_last_time() {
    let log = "\
   0:1st timestamp                                     115,338 (0)
  11:start of bootblock                                123,051 (7,713)
 970:loading FSP-M                                     15,429,233 (15,306,182)
  99:selfboot jump                                     21,711,641 (6,282,408)
";
    let boot = boot(log);
    assert_eq!(boot.end.as_ref().unwrap().ns, Some(21_711_641_000));
    assert_eq!(boot.costs[0].cost_ns, Some(15_306_182_000));
}

#[test]
fn what_coreboot_prints_is_told_apart_from_its_work() {
    let log = "\
coreboot-4.20 Mon Sep 12 14:38:59 UTC 2022 bootblock starting (log level: 8)...
BS: bootblock times (exec / console): total (unknown) / 34 ms
coreboot-4.20 Mon Sep 12 14:38:59 UTC 2022 ramstage starting (log level: 8)...
BS: BS_DEV_RESOURCES run times (exec / console): 14 / 2072 ms
SeaBIOS (version rel-1.16.3)
Turning on vga text mode console
SeaBIOS (version rel-1.16.3)
Booting from Hard Disk...
coreboot-4.20 Mon Sep 12 14:38:59 UTC 2022 bootblock starting (log level: 8)...
";
    let document = read(log);
    assert_eq!(document.boots().count(), 2);
    let boot = document.boots().next().unwrap();
    assert_eq!(
        cost(boot, CostKind::FirmwareConsole).unwrap().gain_ns,
        Some(2_106_000_000)
    );
}

#[test]
fn no_gain_is_larger_than_its_part_of_the_boot() {
    let line = |us: u32, how: &str| {
        let (s, us) = (us / 1_000_000, us % 1_000_000);
        format!("[    {s}.{us:06}] subsystem {us}: a message that takes milliseconds at that rate, {how}\n")
    };
    let mut log = "[    0.000000] Linux version 4.4.0 (a@b) (gcc) #1\n\
                   [    0.000000] Kernel command line: console=ttyS0,115200\n"
        .to_owned();
    for n in 1..200 {
        log.push_str(&line(n, "and did not"));
    }
    log += "[    0.500000] Freeing unused kernel memory: 1188K\n[    1.000000] init: started\n";
    let boot = boot(&log);
    assert!(cost(&boot, CostKind::ConsoleOutput).is_none(), "{:?}", boot.costs);
    // The same messages as a slow console prints them.
    let mut slow = "[    0.000000] Linux version 4.4.0 (a@b) (gcc) #1\n\
                    [    0.000000] Kernel command line: console=ttyS0,115200\n"
        .to_owned();
    for n in 1..200 {
        slow.push_str(&line(n * 9000, "and did so here"));
    }
    slow += "[    2.500000] Freeing unused kernel memory: 1188K\n[    3.000000] init: started\n";
    assert!(cost(&self::boot(&slow), CostKind::ConsoleOutput).is_some());
    let emulated = slow.replace(
        "subsystem 9000:",
        "DMI: QEMU Standard PC (Q35 + ICH9, 2009), BIOS 1.16.2:",
    );
    assert!(cost(&self::boot(&emulated), CostKind::ConsoleOutput).is_none());
}

#[test]
fn an_initcall_does_not_take_as_long_as_its_own_line() {
    let log = "\
[    1.701353] initcall init_menu+0x0/0xc returned 0 after 0 usecs
[    1.707458] calling  gpmc_init+0x0/0x10 @ 1
[    1.711784] initcall gpmc_init+0x0/0x10 returned 0 after 0 usecs
[    1.717974] calling  omap3_l3_init+0x0/0x10 @ 1
[    1.722653] initcall omap3_l3_init+0x0/0x10 returned 0 after 0 usecs
[    1.729201] calling  omap_l3_init+0x0/0x10 @ 1
[    1.733791] initcall omap_l3_init+0x0/0x10 returned 0 after 0 usecs
[    1.740314] calling  gate_vma_init+0x0/0x70 @ 1
[    1.744976] initcall gate_vma_init+0x0/0x70 returned 0 after 0 usecs
[    1.751522] calling  customize_machine+0x0/0x30 @ 1
[    3.823114] initcall customize_machine+0x0/0x30 returned 0 after 2011718 usecs
";
    let boot = boot(log);
    let took = |name: &str| {
        let call = boot.kernel.initcalls.iter().find(|call| call.name == name).unwrap();
        call.duration_ns.unwrap()
    };
    assert_eq!(took("gpmc_init"), 0);
    assert!((2_060_000_000..2_068_000_000).contains(&took("customize_machine")));
}

#[test]
fn logs_of_programs_and_tails_are_no_boots() {
    for log in [
        "[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok /etc/httpd/conf/workers2.properties\n\
         [Sun Dec 04 04:47:44 2005] [error] mod_jk child workerEnv in error state 6\n",
        "Dec 10 06:55:46 LabSZ sshd[24200]: reverse mapping checking getaddrinfo failed\n\
         Dec 10 06:55:48 LabSZ sshd[24200]: Connection closed by 173.234.31.186\n",
        "03:09:24,812 INFO anaconda: /sbin/anaconda 21.48\n03:09:25,485 INFO anaconda: created\n",
    ] {
        assert_eq!(read(log).boots().count(), 0, "{log}");
    }
    let log = format!("[ 5000.100000] usb 1-1: USB disconnect\n[ 5001.000000] reboot: Restarting system\n{OLD}");
    let document = read(&log);
    assert_eq!(document.boots().count(), 1);
    assert!(matches!(&document.parts[0], Part::NotABoot(part) if part.what == "tail"));
}

#[test]
fn attempts_that_nobody_answers_are_a_cost() {
    let log = "\
[    0.000000] Linux version 5.18 (a@b) (gcc) #1
[   10.600000] smc91x eth0: link up
[   10.690000] Sending DHCP requests ...... timed out!
[   86.300000] IP-Config: Reopening network devices...
[   86.530000] Sending DHCP requests ...... timed out!
[  163.500000] IP-Config: Auto-configuration of network failed
[  164.000000] Run /sbin/init as init process
";
    let boot = boot(log);
    let found = cost(&boot, CostKind::NetworkConfiguration).unwrap();
    assert_eq!(found.gain_ns, Some(152_900_000_000));
    assert!(found.evidence.contains("2 attempts"));
    assert_eq!(boot.costs[0].kind, CostKind::NetworkConfiguration);
}

#[test]
fn stamps_of_phones_and_of_journals_without_a_host() {
    for prefix in ["[{}s]", "[{}]kernel: ", "<6>[{}] c0      1 "] {
        let line = |stamp: &str, text: &str| format!("{} {text}\n", prefix.replace("{}", stamp)).replace(":  ", ": ");
        let log = line("    0.000000", "Linux version 4.9.148 (a@b) (gcc) #1").replace("]kernel", "] kernel")
            + &line("   12.026458", "Freeing unused kernel memory: 1M").replace("]kernel", "] kernel")
            + &line("   13.000000", "usb 1-1: new").replace("]kernel", "] kernel");
        let log = log.replace("      1  ", "      1 ");
        assert_eq!(ms(&boot(&log), StageEvent::UserSpaceStart), Some(12_026), "{log}");
    }
}
