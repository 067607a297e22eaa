# SPDX-License-Identifier: MIT
"""What each technique answers, in both directions: `Says(technique, context, answer, part of reason or evidence)`."""

from typing import NamedTuple

import msgspec

from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, FileRead, Initcall, Mark
from bootlab.model.shared_cost import SharedCost
from bootlab.model.system import Initramfs, Machine
from bootlab.model.tree import BusyboxBuild, Entry
from bootlab.techniques.base import Answer, Context
from tests.techniques import user_space as u
from tests.techniques import written as w
from tests.techniques.recordings import (
    CONFIG,
    TREE,
    as_context,
    context,
    diagnosis,
    evidence,
    on_card,
    recording,
    written,
)

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN


class Says(NamedTuple):
    """One expected answer."""

    technique: str
    context: Context
    answer: Answer
    part: str


def _cmdline(text: str) -> CommandLine:
    return CommandLine.parse(text)


def _files(*, read_app: bool) -> Diagnosis:
    boot = diagnosis("diagnostic")
    files = (
        FileRead(path="/init", read=True, size_bytes=40),
        FileRead(path="/bin/busybox", read=True, size_bytes=1_900_000),
        FileRead(path="/app", read=read_app, size_bytes=41),
    )
    return Diagnosis(recording=boot.recording, log=boot.log, initcalls=boot.initcalls, files=files)


def _with_files(*, read_app: bool) -> Context:
    booted = evidence("base", application=None)
    return Context(system=booted.system, recording=booted.recording, diagnosis=_files(read_app=read_app), config=CONFIG)


def _user_space(ms: int) -> Context:
    goal_ns = recording("base").meta.goal_ns
    return as_context(evidence("base", marks=(Mark("user-space", goal_ns - ms * 1_000_000),)))


_BTF = SharedCost(
    kind="once",
    function="btf_parse_vmlinux",
    cost_ns=105_670_058,
    initcalls=("cubictcp_register", "kfunc_init"),
    guard="bpf_get_btf_vmlinux",
)
_TRACEFS = SharedCost(
    kind="work", function="tracer_init_tracefs_work_func", cost_ns=101_000_000, initcalls=("tracer_init_tracefs",)
)


def _with_costs(*costs: SharedCost) -> Context:
    return msgspec.structs.replace(context("base"), shared_costs=costs)


BASE = context("base")
SWITCHING = "#!/bin/sh\nexec switch_root /mnt /sbin/init\n"
RC = u.booted(u.SCRIPTS)
ONE_INITCALL = msgspec.structs.replace(
    evidence("base"),
    diagnosis=Diagnosis(
        recording=recording("diagnostic"),
        initcalls=(Initcall(name="x+0x0/0x1", start_ns=0, duration_ns=1, returned=0),),
    ),
)
NEWER_SLUB = msgspec.structs.replace(
    ONE_INITCALL,
    diagnosis=Diagnosis(
        recording=recording("diagnostic"),
        initcalls=(Initcall(name="slab_late_init+0x0/0x110", start_ns=0, duration_ns=1, returned=0),),
    ),
)
UNNAMED = msgspec.structs.replace(u.systemd(), system=msgspec.structs.replace(u.systemd().system, application=None))
SMALL = Entry(kind="file", busybox=BusyboxBuild(applets=("echo", "ip", "klogd", "mount", "sh", "syslogd")))
NOFORK = Entry(
    kind="file",
    busybox=BusyboxBuild(
        applets=("sh",),
        options=(("FEATURE_PREFER_APPLETS", "y"), ("FEATURE_SH_STANDALONE", "y"), ("FEATURE_SH_NOFORK", "y")),
    ),
)
QUIET = context("quiet", config={})

CASES = (
    Says("firmware-qboot", BASE, YES, "SeaBIOS (version 1.16.2"),
    Says("firmware-qboot", context("qboot"), NO, "firmware = qboot"),
    Says("firmware-qboot", context("microvm"), NO, "machine.type = microvm"),
    Says("firmware-qboot", context("base", target="labgrid"), NO, "labgrid"),
    Says("firmware-microvm", BASE, YES, "machine.type = q35"),
    Says("firmware-microvm", context("microvm"), NO, "microvm"),
    Says("firmware-microvm", context("base", machine=Machine(devices=("virtio-net-pci",))), NO, "virtio-net-pci"),
    Says("edd-off", BASE, YES, "Probing EDD (edd=off to disable)"),
    Says("edd-off", context("edd-off"), NO, "edd=off"),
    Says("edd-off", context("pvh"), NO, "vmlinux"),
    Says("edd-off", context("quiet"), UNKNOWN, "quiet"),
    Says("kernel-pvh", BASE, YES, "XEN_ELFNOTE"),
    Says("kernel-pvh", context("pvh"), NO, "vmlinux"),
    Says("kernel-pvh", as_context(evidence("base"), pvh_entry=False), NO, "no PVH entry"),
    Says("kernel-pvh", as_context(evidence("base"), config={}), UNKNOWN, "neither"),
    Says("quiet", BASE, YES, "lines"),
    Says("quiet", context("quiet"), NO, "quiet"),
    Says("quiet", context("loglevel-0"), NO, "loglevel=0"),
    Says("quiet", context("console-null"), NO, "nothing"),
    Says("loglevel", BASE, YES, "lines"),
    Says("loglevel", context("loglevel-0"), NO, "loglevel=0"),
    Says("loglevel", context("console-null"), NO, "nothing"),
    Says("console-dropped", BASE, YES, "/dev/ttyS0 in /"),
    Says("console-dropped", context("base", initramfs=None), UNKNOWN, "/dev/console"),
    Says("console-dropped", context("console-null"), NO, "console=null"),
    Says("console-dropped", context("base", cmdline=_cmdline("nokaslr")), NO, "no console="),
    Says("debug-leftovers", context("earlycon-kept"), YES, "earlycon keep_bootcon"),
    Says("debug-leftovers", BASE, NO, "console=ttyS0"),
    Says("printk-time", BASE, YES, "characters"),
    Says("printk-time", context("printk-time-0"), NO, "printk.time=0"),
    Says("crypto-selftests", BASE, YES, "CONFIG_CRYPTO_MANAGER_DISABLE_TESTS is not set"),
    Says("crypto-selftests", context("cryptomgr-notests"), NO, "cryptomgr.notests"),
    Says("crypto-selftests", context("base", config={}), UNKNOWN, "configuration"),
    Says("crypto-selftests", context("base", config={**CONFIG, "CONFIG_CRYPTO_MANAGER_DISABLE_TESTS": "y"}), NO, "out"),
    Says("crypto-selftests", context("base", cmdline=_cmdline("fips=1")), NO, "fips=1"),
    Says("lpj-preset", context("no-tsc"), YES, "Calibrating delay loop... 497.66 BogoMIPS (lpj=995328)"),
    Says("lpj-preset", BASE, NO, "skipped by timer frequency"),
    Says("lpj-preset", context("lpj-forced"), NO, "lpj=3999804"),
    Says("lpj-preset", QUIET, UNKNOWN, "no diagnostic boot"),
    Says("lpj-preset", as_context(written(w.OTHERS_CALIBRATE)), YES, "3 other processors brought up in 274.1 ms"),
    Says("lpj-preset", as_context(written(w.OTHERS_KNOWN)), NO, "skipped by timer frequency"),
    Says("lpj-preset", as_context(written(w.ARM_CALIBRATED)), YES, "lpj=2334720"),
    Says("lpj-compiled-in", as_context(written(w.ARM_CALIBRATED)), YES, "lpj=2334720"),
    Says("lpj-compiled-in", BASE, NO, "skipped by timer frequency"),
    Says("lpj-compiled-in", context("no-tsc", config={**CONFIG, "CONFIG_CMDLINE": '"lpj=5"'}), NO, "lpj=5"),
    Says("lpj-compiled-in", QUIET, UNKNOWN, "no diagnostic boot"),
    Says("no-apic-timer", BASE, YES, "hpet"),
    Says("no-apic-timer", context("hpet-disable"), YES, "..TIMER: vector=0x30"),
    Says("no-apic-timer", as_context(written(w.ARM_CALIBRATED)), NO, "no other timer"),
    Says("no-apic-timer", as_context(written(w.DEADLINE_TIMER)), NO, "TSC deadline timer available"),
    Says("no-apic-timer", as_context(written(w.TWO_CPUS)), NO, "Allowing 2 CPUs"),
    Says("no-apic-timer", QUIET, UNKNOWN, "quiet"),
    Says("no-timer-check", BASE, YES, "..TIMER: vector=0x30"),
    Says("no-timer-check", context("nosmp"), NO, "no IO-APIC timer"),
    Says("no-timer-check", as_context(written(w.KVM_GUEST)), NO, "KVM"),
    Says("no-tracefs", context("base", diagnostic="diagnostic"), YES, "tracer_init_tracefs"),
    Says("no-tracefs", BASE, UNKNOWN, "diagnostic boot"),
    Says("no-tracefs", context("base", config={"CONFIG_KALLSYMS": "y"}), NO, "CONFIG_TRACING is not set"),
    Says("no-tracefs", context("base", diagnostic="diagnostic-no-tracefs"), NO, "no such initcall"),
    Says("no-weak-function-check", context("base", diagnostic="diagnostic"), YES, "ftrace_check_for_weak_functions"),
    Says("no-weak-function-check", BASE, UNKNOWN, "diagnostic boot"),
    Says("no-weak-function-check", context("base", config={"CONFIG_PRINTK": "y"}), NO, "CONFIG_KALLSYMS is not set"),
    Says("no-slab-sysfs", context("base", diagnostic="diagnostic"), YES, "slab_sysfs_init"),
    Says("no-slab-sysfs", as_context(NEWER_SLUB), YES, "slab_late_init"),
    Says("no-slab-sysfs", as_context(RC), UNKNOWN, "diagnostic boot"),
    Says("no-slab-sysfs", context("base", config={"CONFIG_PRINTK": "y"}), NO, "CONFIG_KALLSYMS is not set"),
    Says("library-self-tests", context("base", diagnostic="diagnostic"), YES, "blake2s_mod_init"),
    Says("library-self-tests", as_context(ONE_INITCALL), NO, "no such initcall ran"),
    Says("tsc-reliable", as_context(written(w.TWO_CPUS)), YES, "2 CPUs"),
    Says("tsc-reliable", BASE, NO, "Brought up 1 node, 1 CPU"),
    Says("tsc-reliable", context("tsc-reliable"), NO, "tsc=reliable"),
    Says("hpet-off", BASE, YES, "clocksource: hpet"),
    Says("hpet-off", context("hpet-disable"), NO, "hpet=disable"),
    Says("hpet-off", context("no-tsc"), NO, "Switched to clocksource hpet"),
    Says("noreplace-smp", BASE, YES, "Freeing SMP alternatives memory: 36K"),
    Says("noreplace-smp", as_context(written(w.TWO_CPUS)), NO, "2 CPUs"),
    Says("noreplace-smp", as_context(evidence("base"), config={"CONFIG_PRINTK": "y"}), NO, "CONFIG_SMP is not set"),
    Says("one-processor", as_context(written(w.TWO_CPUS)), YES, "2 CPUs"),
    Says("one-processor", BASE, YES, "set up as one of several"),
    Says("one-processor", context("nosmp"), NO, "nosmp"),
    Says("processors-later", as_context(written(w.TWO_CPUS)), YES, "2 CPUs"),
    Says("processors-later", as_context(written(w.TWO_CPUS, "maxcpus=1")), NO, "maxcpus=1"),
    Says("processors-later", as_context(written(w.TWO_CPUS), config={"CONFIG_SMP": "y"}), NO, "CONFIG_HOTPLUG_CPU"),
    Says("processors-later", BASE, NO, "1 CPU"),
    Says("numa-off", BASE, YES, "No NUMA configuration found"),
    Says("numa-off", context("numa-off"), NO, "numa=off"),
    Says("numa-off", as_context(written(w.TWO_NODES)), NO, "NUMA: Node 0"),
    Says("initcall-groups", _with_costs(_BTF), YES, "btf_parse_vmlinux 105.7 ms of cubictcp_register, kfunc_init"),
    Says("initcall-groups", _with_costs(_TRACEFS), NO, "tracer_init_tracefs"),
    Says("initcall-groups", _with_costs(), NO, "share no cost"),
    Says("initcall-groups", BASE, UNKNOWN, "no boot was traced"),
    Says("initcall-blacklist", context("base", diagnostic="diagnostic"), YES, "cubictcp_register 105.9 ms"),
    Says("initcall-blacklist", BASE, UNKNOWN, "diagnostic boot"),
    Says("initcall-blacklist", context("base", config={"CONFIG_PRINTK": "y"}), NO, "CONFIG_KALLSYMS is not set"),
    Says("driver-async-probe", context("base", diagnostic="diagnostic"), YES, "00:03 2.0 ms"),
    Says("driver-async-probe", context("base", diagnostic="diagnostic-async-probe"), NO, "no probe takes"),
    Says("driver-async-probe", BASE, UNKNOWN, "diagnostic boot"),
    Says("deferred-probe-timeout", as_context(written(w.PROBE_PENDING)), YES, "fe201000.serial"),
    Says("deferred-probe-timeout", BASE, NO, "no probe was pending"),
    Says("deferred-probe-timeout", QUIET, UNKNOWN, "quiet"),
    Says("i8042-probing", BASE, YES, "i8042: PNP: PS/2 Controller"),
    Says("i8042-probing", context("microvm"), NO, "No PS/2 controller found"),
    Says("i8042-probing", context("i8042"), NO, "i8042.noaux"),
    Says("serial-8250-uarts", BASE, YES, "4 ports"),
    Says("serial-8250-uarts", context("nr-uarts-1"), NO, "1 ports"),
    Says("serial-8250-uarts", QUIET, UNKNOWN, "quiet"),
    Says("pci-off", BASE, UNKNOWN, "devices are found"),
    Says("pci-off", context("microvm"), NO, "no PCI"),
    Says("acpi-off", BASE, UNKNOWN, "ACPI: Interpreter enabled"),
    Says("acpi-off", context("acpi-off"), NO, "acpi=off"),
    Says("ip-autoconfig", as_context(written(w.IP_CONFIG, "ip=dhcp"), config={}), YES, "Sending DHCP requests"),
    Says("ip-autoconfig", BASE, NO, "no ip="),
    Says("ip-autoconfig", context("ip-forced"), NO, "CONFIG_IP_PNP is not set"),
    Says(
        "ip-autoconfig", context("ip-forced", config={}), NO, 'Unknown kernel command line parameters "nokaslr ip=dhcp"'
    ),
    Says("ip-autoconfig", as_context(written(w.IP_CONFIG, "ip=dhcp root=/dev/nfs")), NO, "root=/dev/nfs"),
    Says("rcu-expedited", _user_space(50), YES, "50.0 ms"),
    Says("rcu-expedited", _user_space(3), NO, "3.0 ms"),
    Says("rcu-expedited", BASE, UNKNOWN, "when user space started"),
    Says("random-trust-cpu", context("rdrand-not-trusted"), YES, "random.trust_cpu=off"),
    Says("random-trust-cpu", context("rdrand"), NO, "CONFIG_RANDOM_TRUST_CPU=y"),
    Says("random-trust-cpu", context("base", config={"CONFIG_PRINTK": "y"}), NO, "rdrand=off"),
    Says("memory-limit", BASE, UNKNOWN, "261624K"),
    Says("memory-limit", context("mem-128"), NO, "mem=128M"),
    Says("nowatchdog", as_context(written(w.NMI_WATCHDOG)), YES, "Permanently consumes"),
    Says("nowatchdog", BASE, NO, "permanently disabled"),
    Says("init-on-alloc", BASE, YES, "heap alloc:on"),
    Says("init-on-alloc", context("init-on-alloc-0"), NO, "init_on_alloc=0"),
    Says("init-on-alloc", as_context(written("[    0.1] mem auto-init: stack:off, heap alloc:off")), NO, "alloc:off"),
    Says("audit-off", BASE, YES, "audit: initializing netlink subsys"),
    Says("audit-off", context("audit-0"), NO, "audit=0"),
    Says("lsm-off", BASE, YES, "security modules are set up"),
    Says("lsm-off", context("lsm-none"), NO, "lsm="),
    Says("mitigations-off", BASE, YES, "Mitigation: "),
    Says("mitigations-off", context("mitigations-off"), NO, "mitigations=off"),
    Says("mitigations-off", as_context(written(w.MD_WAITING)), NO, "none is in use"),
    Says("initramfs-compression", BASE, YES, "CONFIG_RD_LZ4=y"),
    Says("initramfs-compression", context("disk-rootwait"), NO, "no initramfs"),
    Says("initramfs-compression", context("base", config={}), UNKNOWN, "CONFIG_RD_"),
    Says("initramfs-async", BASE, YES, "Trying to unpack"),
    Says("initramfs-async", context("disk-rootwait"), NO, "no initramfs"),
    Says("initramfs-async", as_context(evidence("base"), kernel_version=(5, 12)), NO, "5.12"),
    Says("initramfs-slim", _with_files(read_app=False), YES, "/app"),
    Says("initramfs-slim", _with_files(read_app=True), NO, "every file is read"),
    Says("initramfs-slim", BASE, UNKNOWN, "diagnostic boot"),
    Says("initramfs-modules", as_context(u.with_modules()), YES, "6 of 7 modules are never loaded loaded: sdhci_pci"),
    Says("initramfs-modules", as_context(u.with_modules(loaded=u.MODULES)), NO, "nearly every module is loaded 7 of 7"),
    Says("initramfs-modules", as_context(u.with_modules(keep=("*/net/*",))), YES, "5 of 7 modules"),
    Says("initramfs-modules", as_context(u.with_modules(loaded=())), UNKNOWN, "does not show which"),
    Says("initramfs-modules", BASE, NO, "no modules"),
    Says("initramfs-direct", as_context(u.mounting()), YES, "needs 6 modules of"),
    Says("initramfs-direct", as_context(u.mounting(place="/modules")), YES, "needs 6 modules of"),
    Says("initramfs-direct", as_context(u.mounting(dtb="board.dtb")), YES, f"needs {len(u.CARD)} modules of"),
    Says("initramfs-direct", as_context(u.mounting(direct=True)), NO, "does nothing else already"),
    Says("initramfs-direct", as_context(u.mounting(diagnosed=False)), UNKNOWN, "diagnostic boot"),
    Says("initramfs-direct", as_context(u.mounting(root="/dev/mapper/vg-root")), NO, "cannot find such a root"),
    Says("initramfs-direct", as_context(u.mounting(kind="xfs")), NO, "finds no xfs by its name"),
    Says("initramfs-direct", as_context(u.mounting(end=".ko.xz")), NO, "CONFIG_MODULE_DECOMPRESS"),
    Says("initramfs-direct", BASE, NO, "no initramfs mounts a root"),
    Says("rootdelay-to-rootwait", context("disk-rootdelay"), YES, "Waiting 2 sec before mounting root device"),
    Says("rootdelay-to-rootwait", context("disk-rootwait"), NO, "no rootdelay="),
    Says("rootdelay-to-rootwait", context("base", cmdline=_cmdline("rootdelay=2")), NO, "Run /init as init"),
    Says("rootfstype", as_context(written(w.WRONG_TYPE_FIRST)), YES, "F2FS-fs (mmcblk0p2)"),
    Says("rootfstype", context("disk-rootwait"), UNKNOWN, "VFS: Mounted root (ext4"),
    Says("rootfstype", BASE, NO, "Run /init as init"),
    Says("root-in-initramfs", as_context(on_card("disk-rootwait")), YES, "VFS: Mounted root (ext4"),
    Says("root-in-initramfs", BASE, NO, "no [root]"),
    Says("root-in-initramfs", as_context(on_card("disk-rootwait", root_bytes=1 << 30)), NO, "larger than the memory"),
    Says("raid-noautodetect", as_context(written(w.MD_WAITING)), YES, "md: Waiting for all devices"),
    Says("raid-noautodetect", BASE, NO, "CONFIG_BLK_DEV_MD is not y"),
    Says("raid-noautodetect", as_context(written(w.MD_SKIPPING)), NO, "Skipping autodetection"),
    Says("rc-scripts-merged", as_context(RC), YES, "3 of 3 scripts can be merged into /init; 1 in a subshell"),
    Says("rc-scripts-merged", as_context(u.booted({"/init": "#!/bin/sh\nexec /app\n"})), NO, "no script starts others"),
    Says("rc-scripts-merged", context("rdinit-app"), NO, "no script starts others"),
    Says("rc-scripts-merged", as_context(evidence("disk-rootwait")), NO, "no root tree"),
    Says("busybox-applets", as_context(RC), YES, "echo, ip, klogd, mount, sh, syslogd"),
    Says("busybox-applets", as_context(u.booted(u.SCRIPTS, links=("/bin/awk",))), YES, "awk, echo, ip"),
    Says("busybox-applets", as_context(u.booted(u.SCRIPTS, diagnosed=False)), UNKNOWN, "a diagnostic boot sees"),
    Says("busybox-applets", as_context(u.booted(u.SCRIPTS, busybox=SMALL)), NO, "every applet is used"),
    Says("busybox-nofork", as_context(RC), YES, "BusyBox is the shell"),
    Says("busybox-nofork", as_context(u.booted(u.SCRIPTS, busybox=NOFORK)), NO, "built so already"),
    Says("busybox-nofork", as_context(evidence("disk-rootwait")), NO, "no root tree"),
    Says("busybox-standalone", as_context(RC), YES, "BusyBox is the shell"),
    Says("busybox-standalone", as_context(u.booted(u.SCRIPTS, busybox=NOFORK)), NO, "built so already"),
    Says("busybox-standalone", as_context(evidence("disk-rootwait")), NO, "no root tree"),
    Says("shell-expansions", as_context(u.booted(u.CUTTING)), YES, "/etc/init.d/S03dev: $(dirname"),
    Says("shell-expansions", as_context(u.booted(u.CUT)), NO, "no start script cuts paths"),
    Says("shell-expansions", as_context(evidence("disk-rootwait")), NO, "no root tree"),
    Says("rc-parallel", as_context(u.booted(u.LSB)), YES, "3 scripts, at most 2 one after the other"),
    Says("rc-parallel", as_context(RC), NO, "no header: S01log; no header: S02net"),
    Says("rc-parallel", as_context(evidence("disk-rootwait")), NO, "no root tree"),
    Says("unneeded-mounts", as_context(u.booted(u.MOUNTING)), YES, "/mnt/spool (/init)"),
    Says("unneeded-mounts", as_context(RC), NO, "every mount point is named"),
    Says("unneeded-mounts", as_context(u.booted(u.MOUNTING, diagnosed=False)), UNKNOWN, "diagnostic boot"),
    Says("unneeded-mounts", context("rdinit-app"), NO, "mounts anything"),
    Says("getty-late", as_context(u.booted(u.CONSOLES)), YES, "/sbin/getty -L tty1 0 linux"),
    Says("getty-late", as_context(RC), NO, "no login prompt"),
    Says(
        "systemd-unit-masked",
        as_context(u.systemd()),
        YES,
        "app.service at once <- net.target at once <- wait.service 2000 ms",
    ),
    Says("systemd-unit-masked", as_context(u.systemd(diagnosed=False)), UNKNOWN, "diagnostic boot"),
    Says("systemd-unit-masked", BASE, NO, "not systemd"),
    Says("systemd-target-reduced", as_context(u.systemd(crowded=True)), YES, "wants 1 other units other.service"),
    Says("systemd-target-reduced", as_context(u.systemd()), NO, "wants nothing else"),
    Says("systemd-target-reduced", BASE, NO, "not systemd"),
    Says(
        "systemd-generators-off", as_context(u.systemd(crowded=True)), YES, "1 generators have nothing to do gpt-auto"
    ),
    Says("systemd-generators-off", as_context(u.systemd()), NO, "masked or needed"),
    Says("systemd-target-reduced", as_context(UNNAMED), UNKNOWN, "does not name the application"),
    Says("application-unit-first", as_context(UNNAMED), UNKNOWN, "does not name the application"),
    Says("systemd-rest-later", as_context(u.systemd()), YES, "1 services and mounts were started before app.service"),
    Says("systemd-rest-later", as_context(u.systemd(early=True)), NO, "no other service was started before it"),
    Says("systemd-rest-later", as_context(u.systemd(diagnosed=False)), UNKNOWN, "diagnostic boot"),
    Says("systemd-rest-later", as_context(UNNAMED), UNKNOWN, "does not name the application"),
    Says("systemd-rest-later", BASE, NO, "not systemd"),
    Says("systemd-generators-off", BASE, NO, "not systemd"),
    Says("application-unit-first", as_context(u.systemd()), YES, "basic.target, net.target, sysinit.target"),
    Says("application-unit-first", as_context(u.systemd(early=True)), NO, "waits for nothing"),
    Says("application-unit-first", BASE, NO, "not systemd"),
    Says(
        "systemd-update-checks-off", as_context(u.updating()), YES, "1 units bring caches up to date ldconfig.service"
    ),
    Says("systemd-update-checks-off", as_context(u.updating(ran=False)), NO, "started ldconfig.service"),
    Says("systemd-update-checks-off", as_context(u.updating(diagnosed=False)), UNKNOWN, "which units start"),
    Says("systemd-update-checks-off", as_context(u.systemd()), NO, "no unit of the tree"),
    Says("systemd-update-checks-off", BASE, NO, "not systemd"),
    Says("mounts-by-application", as_context(RC), YES, "init mounts 1 of them proc on /proc"),
    Says("mounts-by-application", context("rdinit-app"), NO, "rdinit=/app"),
    Says("mounts-by-application", BASE, NO, "no script and no fstab mounts"),
    Says("app-as-init", BASE, YES, "Run /init as init process"),
    Says("app-as-init", context("rdinit-app"), NO, "rdinit=/app"),
    Says("app-as-init", as_context(u.mounting(early=SWITCHING)), NO, "/init starts /sbin/init on the root"),
    Says("mounts-by-application", as_context(u.mounting(early=SWITCHING)), NO, "does not follow init="),
    Says("app-as-init", context("base", application="/usr/bin/none"), NO, "not in the root tree"),
    Says("app-as-init", context("base", application=None), UNKNOWN, "does not name"),
    Says("app-as-init", context("base", application_arguments=("-x",) * 31), YES, ""),
    Says("app-as-init", context("base", application_arguments=("-x",) * 32), NO, "at most 31 arguments"),
    Says("initramfs-slim", as_context(evidence("disk-rootwait")), NO, "no initramfs"),
    Says(
        "initramfs-compression",
        as_context(evidence("base", initramfs=Initramfs(tree=TREE, compression="none"))),
        NO,
        "",
    ),
    Says("ahci-all-at-once", as_context(written(w.STAGGERED), config={"CONFIG_SATA_AHCI": "y"}), YES, "SSS flag set"),
    Says("ahci-all-at-once", as_context(written(w.NOT_STAGGERED), config={"CONFIG_SATA_AHCI": "y"}), NO, "AHCI 0001"),
    Says("fsck-skipped", as_context(written(w.CHECKED)), YES, "1204/32768 files"),
    Says("fsck-skipped", BASE, UNKNOWN, "no check is on the console"),
    Says("fsck-skipped", as_context(written(w.CHECKED, "console=ttyS0 fsck.mode=skip")), NO, "it is set already"),
)
