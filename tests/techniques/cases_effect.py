# SPDX-License-Identifier: MIT
"""Whether each technique took effect: `Shows(technique, before, after, shown, part of evidence)`, both directions."""

from typing import NamedTuple

import msgspec

from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, Initcall, Mark
from bootlab.model.system import Initramfs
from bootlab.model.tree import BusyboxBuild, Entry, FileTree
from bootlab.techniques.base import Evidence
from tests.techniques import user_space as u
from tests.techniques import written as w
from tests.techniques.recordings import TREE, evidence, on_card, packed, recording, written


class Shows(NamedTuple):
    """One expected proof, or the reason why there is none."""

    technique: str
    before: Evidence
    after: Evidence
    shown: bool
    part: str


def _marks(name: str, *marks: str, user_ms: int | None = None) -> Evidence:
    found = [Mark(mark, 1_000, source=mark) for mark in marks]
    if user_ms is not None:
        found.append(Mark("user-space", recording(name).meta.goal_ns - user_ms * 1_000_000))
    return evidence(name, marks=tuple(found))


def _smaller_initramfs() -> Evidence:
    booted = evidence("base", initramfs=Initramfs(tree=FileTree(TREE.entries[1:])))
    meta = msgspec.structs.replace(booted.recording.meta, artefact_bytes={"initramfs": 1000})
    return msgspec.structs.replace(booted, recording=msgspec.structs.replace(booted.recording, meta=meta))


def _image(name: str, sha256: str) -> Evidence:
    booted = evidence(name)
    meta = msgspec.structs.replace(booted.recording.meta, artefact_sha256={"kernel": sha256})
    return msgspec.structs.replace(booted, recording=msgspec.structs.replace(booted.recording, meta=meta))


def _free(name: str) -> Evidence:
    booted = evidence(name)
    meta = msgspec.structs.replace(booted.recording.meta, mode="free")
    return msgspec.structs.replace(booted, recording=msgspec.structs.replace(booted.recording, meta=meta))


_SMALL = Entry(kind="file", busybox=BusyboxBuild(applets=("sh",)))

RC = u.booted(u.SCRIPTS)
BASE = evidence("base")
QUIET = evidence("quiet")
DIAGNOSED = evidence("base", diagnostic="diagnostic")
BLACKLISTED = evidence("base", diagnostic="diagnostic-blacklist")
BLACKLISTED = msgspec.structs.replace(
    BLACKLISTED,
    system=msgspec.structs.replace(
        BLACKLISTED.system, cmdline=CommandLine.parse("initcall_blacklist=init_ima,tracer_init_tracefs")
    ),
)


def _called(line: str, **times_ms: int) -> Evidence:
    calls = tuple(
        Initcall(name=name, start_ns=0, duration_ns=ms * 1_000_000, returned=0) for name, ms in times_ms.items()
    )
    booted = evidence("base", cmdline=CommandLine.parse(line))
    return msgspec.structs.replace(booted, diagnosis=Diagnosis(recording=booted.recording, initcalls=calls))


# Whoever asks first has the type information parsed.
TAKEN_OVER = (
    _called("quiet", cubictcp_register=105, kfunc_init=0, other=3),
    _called("quiet initcall_blacklist=cubictcp_register", kfunc_init=105, other=3),
    _called("quiet initcall_blacklist=cubictcp_register,kfunc_init", other=3),
)

NEVER_THERE = msgspec.structs.replace(
    DIAGNOSED,
    system=msgspec.structs.replace(DIAGNOSED.system, cmdline=CommandLine.parse("initcall_blacklist=foo_bar")),
)

_DEBUGGING = (
    ("no-weak-function-check", "ftrace_check_for_weak_functions"),
    ("no-slab-sysfs", "slab_sysfs_init"),
    ("no-slab-sysfs", "slab_late_init"),
    ("library-self-tests", "blake2s_mod_init"),
)

PATCHED = _marks("base", "alternatives_smp_module_add", "start-kernel")

CASES = (
    Shows("firmware-qboot", BASE, evidence("qboot"), True, "BIOS 0.1"),
    Shows("firmware-qboot", BASE, evidence("quiet"), False, "both"),
    Shows("firmware-microvm", BASE, evidence("microvm"), True, "QEMU Standard PC"),
    Shows("firmware-microvm", BASE, evidence("qboot"), False, "still prints"),
    Shows("edd-off", BASE, evidence("edd-off"), True, "Probing EDD"),
    Shows("edd-off", BASE, QUIET, False, "prints nothing either way"),
    Shows("edd-off", BASE, evidence("nosmp"), False, "still prints"),
    Shows("kernel-pvh", BASE, evidence("pvh"), True, "Probing EDD"),
    Shows(
        "kernel-pvh",
        _marks("base", "decompression", "start-kernel"),
        _marks("pvh", "start-kernel"),
        True,
        "decompressor",
    ),
    Shows("kernel-pvh", BASE, evidence("edd-off"), False, ""),
    Shows("quiet", BASE, QUIET, True, "-> 1"),
    Shows("quiet", BASE, evidence("nosmp"), False, ""),
    Shows("quiet", QUIET, evidence("loglevel-0"), True, "1 -> 0"),
    Shows("loglevel", BASE, evidence("loglevel-0"), True, "-> 0"),
    Shows("loglevel", evidence("loglevel-0"), evidence("loglevel-0"), False, "nothing"),
    Shows("console-dropped", BASE, evidence("console-null"), True, "-> 0"),
    Shows("console-dropped", BASE, evidence("numa-off"), False, "still prints"),
    Shows("debug-leftovers", evidence("earlycon-kept"), BASE, True, "bootconsole"),
    Shows("debug-leftovers", evidence("memtest"), BASE, False, "never printed"),
    Shows("debug-leftovers", BASE, BASE, False, "went away"),
    Shows("printk-time", BASE, evidence("printk-time-0"), True, "now without"),
    Shows("printk-time", BASE, QUIET, False, ""),
    Shows("crypto-selftests", BASE, evidence("cryptomgr-notests"), True, "alg: self-tests disabled"),
    Shows("crypto-selftests", BASE, evidence("nosmp"), False, "never printed"),
    Shows("crypto-selftests", BASE, QUIET, False, "no diagnostic boot"),
    Shows(
        "crypto-selftests", evidence("cryptomgr-notests"), evidence("cryptomgr-notests"), False, "without the change"
    ),
    Shows("lpj-preset", evidence("no-tsc"), evidence("no-tsc-lpj"), True, "preset value"),
    Shows("lpj-compiled-in", _image("no-tsc", "a"), _image("no-tsc-lpj", "b"), True, "preset value"),
    Shows("lpj-compiled-in", _image("no-tsc", "a"), _image("no-tsc-lpj", "a"), False, "byte for byte"),
    Shows("lpj-compiled-in", _image("no-tsc", "a"), _image("no-tsc", "b"), False, "Calibrating delay loop..."),
    Shows("lpj-preset", BASE, evidence("lpj-forced"), False, "skipped"),
    Shows("lpj-preset", written(w.OTHERS_CALIBRATE), written(w.OTHERS_PRESET), True, "in 274.1 ms -> 35.2 ms"),
    Shows("lpj-preset", written(w.OTHERS_KNOWN), written(w.OTHERS_PRESET), False, "no calibration ran"),
    Shows("no-apic-timer", BASE, evidence("noapictimer"), True, "Disabling APIC timer"),
    Shows("no-apic-timer", BASE, evidence("nosmp"), False, "never printed"),
    Shows("no-timer-check", BASE, evidence("no-timer-check"), True, "ms -> 0."),
    Shows("no-timer-check", BASE, evidence("tsc-reliable"), False, "ms -> 11."),
    Shows("no-timer-check", BASE, _free("no-timer-check"), False, "exact mode"),
    Shows("tsc-reliable", written(w.TWO_CPUS), written(w.TWO_CPUS_FASTER), True, "30.000 ms -> 9.000 ms"),
    Shows("tsc-reliable", BASE, evidence("tsc-reliable"), False, "ms"),
    Shows("hpet-off", BASE, evidence("hpet-disable"), True, "clocksource: hpet"),
    Shows("hpet-off", BASE, evidence("nosmp"), False, "still prints"),
    Shows("noreplace-smp", PATCHED, _marks("noreplace-smp", "start-kernel"), True, "no longer called"),
    Shows("noreplace-smp", PATCHED, PATCHED, False, "still called"),
    Shows("noreplace-smp", BASE, evidence("noreplace-smp"), False, "not watched"),
    Shows("noreplace-smp", PATCHED, evidence("noreplace-smp"), False, "no marks"),
    Shows(
        "no-tracefs",
        DIAGNOSED,
        evidence("base", diagnostic="diagnostic-no-tracefs"),
        True,
        "trace_eval_init blacklisted",
    ),
    Shows("no-tracefs", DIAGNOSED, DIAGNOSED, False, "no message"),
    Shows(
        "no-tracefs", _marks("base", "tracer_init_tracefs"), _marks("base", "start-kernel"), True, "no longer called"
    ),
    *(
        case
        for name, call in _DEBUGGING
        for case in (
            Shows(
                name,
                _called("quiet", **{call: 9}, other=3),
                _called(f"initcall_blacklist={call},x", other=3),
                True,
                call,
            ),
            Shows(name, DIAGNOSED, DIAGNOSED, False, "no initcall was put on the list"),
            Shows(name, DIAGNOSED, NEVER_THERE, False, "no initcall was put on the list"),
        )
    ),
    Shows("no-timer-check", BASE, evidence("hpet-disable"), False, "ms -> "),
    Shows("one-processor", BASE, evidence("nosmp"), True, "SMP mode deactivated"),
    Shows("one-processor", BASE, evidence("nr-cpus-1"), False, "unchanged"),
    Shows("one-processor", written(w.TWO_CPUS), written(w.ONE_OF_TWO_CPUS), True, "1 CPU"),
    Shows("processors-later", written(w.TWO_CPUS), written(w.ONE_OF_TWO_CPUS), True, "2 CPUs"),
    Shows("processors-later", written(w.TWO_CPUS), written(w.TWO_CPUS), False, "unchanged"),
    Shows("numa-off", BASE, evidence("numa-off"), True, "NUMA turned off"),
    Shows("numa-off", BASE, evidence("nosmp"), False, "never printed"),
    Shows("initcall-blacklist", DIAGNOSED, BLACKLISTED, True, "initcall init_ima blacklisted"),
    Shows("initcall-groups", DIAGNOSED, BLACKLISTED, True, "initcall init_ima blacklisted"),
    Shows("initcall-groups", DIAGNOSED, NEVER_THERE, False, "foo_bar never ran"),
    Shows("initcall-blacklist", TAKEN_OVER[0], TAKEN_OVER[1], True, "its cost moved: kfunc_init takes 105.0 ms more"),
    Shows("initcall-groups", TAKEN_OVER[0], TAKEN_OVER[2], True, "no other initcall took its cost over"),
    Shows("initcall-blacklist", DIAGNOSED, NEVER_THERE, False, "foo_bar never ran"),
    Shows("initcall-blacklist", BASE, msgspec.structs.replace(BLACKLISTED, diagnosis=None), False, "diagnostic boot"),
    Shows("driver-async-probe", DIAGNOSED, evidence("base", diagnostic="diagnostic-async-probe"), True, "probes moved"),
    Shows("driver-async-probe", DIAGNOSED, DIAGNOSED, False, "same initcall"),
    Shows("driver-async-probe", BASE, BASE, False, "diagnostic boots"),
    Shows("deferred-probe-timeout", written(w.PROBE_PENDING), written("[    2.0] Run /init as init process"), True, ""),
    Shows("deferred-probe-timeout", BASE, BASE, False, "never printed"),
    Shows("i8042-probing", BASE, evidence("i8042"), True, "AUX port"),
    Shows("i8042-probing", evidence("microvm"), evidence("microvm"), False, "never printed"),
    Shows("serial-8250-uarts", BASE, evidence("nr-uarts-1"), True, "1 ports"),
    Shows("serial-8250-uarts", BASE, evidence("nosmp"), False, "unchanged"),
    Shows("pci-off", BASE, evidence("pci-off"), True, "No config space access"),
    Shows("pci-off", evidence("microvm"), evidence("microvm"), False, ""),
    Shows("acpi-off", BASE, evidence("acpi-off"), True, "Interpreter enabled"),
    Shows("acpi-off", BASE, evidence("nosmp"), False, "still prints"),
    Shows("ip-autoconfig", written(w.IP_CONFIG, "ip=dhcp"), written("[    1.3] Run /init as init"), True, "DHCP"),
    Shows("ip-autoconfig", evidence("ip-forced"), BASE, False, "never printed"),
    Shows("rcu-expedited", _marks("base", user_ms=50), _marks("rcu-expedited", user_ms=50), True, "expedited"),
    Shows("rcu-expedited", _marks("base", user_ms=3), _marks("rcu-expedited", user_ms=3), False, "without it"),
    Shows("rcu-expedited", BASE, BASE, False, "never printed"),
    Shows("random-trust-cpu", evidence("rdrand-not-trusted"), evidence("rdrand"), True, "crng init done"),
    Shows("random-trust-cpu", BASE, BASE, False, "never printed"),
    Shows("memory-limit", BASE, evidence("mem-128"), True, "261624K"),
    Shows("memory-limit", BASE, evidence("nosmp"), False, "unchanged"),
    Shows("nowatchdog", written(w.NMI_WATCHDOG), written(""), True, "Permanently consumes"),
    Shows("nowatchdog", BASE, evidence("nowatchdog"), False, "never printed"),
    Shows("init-on-alloc", BASE, evidence("init-on-alloc-0"), True, "heap alloc:off"),
    Shows("init-on-alloc", evidence("init-on-alloc-0"), BASE, False, "switched on"),
    Shows("audit-off", BASE, evidence("audit-0"), True, "audit: disabled (until reboot)"),
    Shows("audit-off", BASE, evidence("nosmp"), False, "never printed"),
    Shows("lsm-off", BASE, evidence("lsm-none"), True, "landlock"),
    Shows("lsm-off", BASE, evidence("nosmp"), False, "still prints"),
    Shows("mitigations-off", BASE, evidence("mitigations-off"), True, "Mitigation: "),
    Shows("mitigations-off", BASE, evidence("nosmp"), False, "still prints"),
    Shows("initramfs-compression", BASE, evidence("initramfs-lz4"), True, "Freeing initrd memory"),
    Shows("initramfs-compression", BASE, BASE, False, "the same"),
    Shows("initramfs-compression", BASE, evidence("disk-rootwait"), False, "do not show"),
    Shows("initramfs-async", BASE, evidence("initramfs-async-0"), True, "-> 0"),
    Shows("initramfs-async", BASE, evidence("nosmp"), False, "while it was unpacked"),
    Shows("initramfs-slim", BASE, _smaller_initramfs(), True, "-> 1000 bytes"),
    Shows("initramfs-slim", BASE, BASE, False, "-> "),
    Shows("initramfs-modules", u.with_modules(), u.with_modules(left_out=u.MODULES[1:]), True, "7 -> 1 modules"),
    Shows("initramfs-modules", u.with_modules(), u.with_modules(), False, "7 -> 7 modules"),
    Shows("initramfs-direct", u.mounting(), u.mounting(direct=True), True, "initramfs 1000 -> 100 bytes"),
    Shows("initramfs-direct", u.mounting(), u.mounting(), False, "said nothing"),
    Shows("initramfs-direct", u.mounting(direct=True), u.mounting(direct=True), False, "before as well"),
    Shows("rootdelay-to-rootwait", evidence("disk-rootdelay"), evidence("disk-rootwait"), True, "Waiting 2 sec"),
    Shows("rootdelay-to-rootwait", BASE, BASE, False, "never printed"),
    Shows("rootfstype", written(w.WRONG_TYPE_FIRST), written(w.RIGHT_TYPE_FIRST), True, "Magic Mismatch"),
    Shows("rootfstype", evidence("disk-rootwait"), evidence("disk-rootwait"), False, "never printed"),
    Shows("rootfstype", BASE, BASE, False, "mounted no root"),
    Shows("root-in-initramfs", on_card("disk-rootwait"), packed("base"), True, "ext4 filesystem) readonly"),
    Shows("root-in-initramfs", on_card("disk-rootwait"), packed("disk-rootwait"), False, "still mounts a root"),
    Shows("root-in-initramfs", on_card("disk-rootwait"), on_card("disk-rootwait"), False, "still given the medium"),
    Shows("root-in-initramfs", packed("base"), packed("base"), False, "the base's root was an initramfs"),
    Shows("raid-noautodetect", written(w.MD_WAITING), written(w.MD_SKIPPING), True, "md: Waiting"),
    Shows("raid-noautodetect", BASE, evidence("raid-forced"), False, "does not know"),
    Shows(
        "rc-scripts-merged",
        u.booted(u.SCRIPTS, processes=90),
        u.booted(u.SCRIPTS, processes=70, unread=("/etc/init.d/S01log", "/etc/init.d/rcS")),
        True,
        "2 of 3 scripts are no longer read: /etc/init.d/S01log …; processes 90 -> 70",
    ),
    Shows("rc-scripts-merged", u.booted(u.SCRIPTS), u.booted(u.SCRIPTS), False, "still read"),
    Shows("rc-scripts-merged", u.booted(u.SCRIPTS), u.booted(u.SCRIPTS, diagnosed=False), False, "only diagnostic"),
    Shows(
        "busybox-applets",
        u.booted(u.SCRIPTS, sizes={"/bin/busybox": 2000}),
        u.booted(u.SCRIPTS, sizes={"/bin/busybox": 1400}, busybox=_SMALL),
        True,
        "/bin/busybox 2000 -> 1400 bytes in the booted system, 1 applets",
    ),
    Shows("busybox-applets", u.booted(u.SCRIPTS), u.booted(u.SCRIPTS), False, "no BusyBox that is built"),
    Shows("busybox-applets", u.booted(u.SCRIPTS), u.booted(u.SCRIPTS, busybox=_SMALL), False, "100 -> 100"),
    Shows("busybox-nofork", u.booted(u.SCRIPTS, processes=90), u.booted(u.SCRIPTS, processes=60), True, "90 -> 60"),
    Shows("busybox-nofork", u.booted(u.SCRIPTS, processes=90), u.booted(u.SCRIPTS, processes=90), False, "90 -> 90"),
    Shows("busybox-nofork", u.booted(u.SCRIPTS), u.booted(u.SCRIPTS), False, "only diagnostic boots"),
    Shows("busybox-standalone", u.booted(u.SCRIPTS, links=("/bin/ip", "/bin/sh")), RC, True, "2 -> 0"),
    Shows("busybox-standalone", RC, RC, False, "0 -> 0"),
    Shows("busybox-standalone", RC, u.booted(u.SCRIPTS, diagnosed=False), False, "only diagnostic boots"),
    Shows("shell-expansions", u.booted(u.CUTTING, processes=90), u.booted(u.CUT, processes=60), True, "90 -> 60"),
    Shows("shell-expansions", u.booted(u.CUTTING, processes=90), u.booted(u.CUTTING, processes=60), False, "1 -> 1"),
    Shows("shell-expansions", u.booted(u.CUTTING, processes=90), u.booted(u.CUT, processes=90), False, "90 -> 90"),
    Shows("rc-parallel", u.said(u.LSB, "a", "b", "c"), u.said(u.JOBS, "b", "a", "c"), True, "'b' now comes before 'a'"),
    Shows("rc-parallel", u.said(u.LSB, "a", "b"), u.said(u.JOBS, "a", "b"), False, "same order"),
    Shows(
        "rc-parallel", u.said(u.LSB, "a", "b"), u.said(u.LSB, "b", "a"), False, "no script of the system starts jobs"
    ),
    Shows(
        "unneeded-mounts",
        u.booted(u.MOUNTING, mounts="rootfs / rootfs rw\ntmpfs /mnt/spool tmpfs rw\n"),
        u.booted(u.MOUNTING, mounts="rootfs / rootfs rw\n"),
        True,
        "no longer mounted: /mnt/spool; 2 -> 1 mounts",
    ),
    Shows(
        "unneeded-mounts",
        u.booted(u.MOUNTING, mounts="rootfs / rootfs rw\n"),
        u.booted(u.MOUNTING, mounts="rootfs / rootfs rw\n"),
        False,
        "the same is mounted",
    ),
    Shows("getty-late", u.booted(u.CONSOLES, links=("/bin/getty",)), u.booted(u.CONSOLES), True, "/bin/getty"),
    Shows(
        "getty-late",
        u.booted(u.CONSOLES, links=("/bin/getty",)),
        u.booted(u.CONSOLES, links=("/bin/getty",)),
        False,
        "still started",
    ),
    Shows("systemd-unit-masked", u.systemd(), u.systemd(masked=True), True, "wait.service (2000 ms before)"),
    Shows("systemd-unit-masked", u.systemd(), u.systemd(), False, "nothing is masked"),
    Shows("systemd-target-reduced", u.systemd(), u.systemd(reduced=True), True, "application.target reached; 1 units"),
    Shows("systemd-target-reduced", u.systemd(), u.systemd(), False, "is not what systemd reached"),
    Shows(
        "systemd-rest-later", u.systemd(), u.systemd(later=True), True, "1 of 1 services and mounts are started after"
    ),
    Shows("systemd-rest-later", u.systemd(), u.systemd(), False, "is not what systemd reached"),
    Shows("systemd-rest-later", u.systemd(), u.systemd(later=True, diagnosed=False), False, "only diagnostic boots"),
    Shows(
        "systemd-generators-off",
        u.systemd(crowded=True),
        u.systemd(crowded=True, unread=(u.GENERATOR,)),
        True,
        "1 of 2 generators no longer run: gpt-auto",
    ),
    Shows("systemd-generators-off", u.systemd(crowded=True), u.systemd(crowded=True), False, "still run: gpt-auto"),
    Shows(
        "systemd-update-checks-off", u.updating(), u.updating(ran=False), True, "no longer started: ldconfig.service"
    ),
    Shows("systemd-update-checks-off", u.updating(), u.updating(), False, "still started: ldconfig.service"),
    Shows("application-unit-first", u.systemd(), u.systemd(early=True), True, "started before 2 units that came first"),
    Shows("application-unit-first", u.systemd(), u.systemd(), False, "after the same units"),
    Shows(
        "mounts-by-application",
        u.said(u.SCRIPTS, "[    1.0] Run /init as init process"),
        u.said(u.SCRIPTS, "[    1.0] Run /application-start as init process"),
        True,
        "-> [    1.0] Run /application-start",
    ),
    Shows("mounts-by-application", BASE, BASE, False, "the kernel runs"),
    Shows("app-as-init", BASE, evidence("rdinit-app"), True, "Run /app as init process"),
    Shows("app-as-init", BASE, BASE, False, ""),
    Shows("app-as-init", _marks("quiet", "rc-scripts"), QUIET, True, "never ran"),
    Shows("app-as-init", QUIET, QUIET, False, "quiet"),
    Shows("ahci-all-at-once", written(w.STAGGERED), written(w.NOT_STAGGERED), True, "SSS flag set"),
    Shows("ahci-all-at-once", written(w.STAGGERED), written(w.STAGGERED), False, "still prints"),
    Shows("fsck-skipped", written(w.CHECKED), written(""), True, "1204/32768 files"),
    Shows("fsck-skipped", written(w.CHECKED), written(w.CHECKED), False, "still checked"),
    Shows("fsck-skipped", BASE, BASE, False, "no check was on the console"),
    Shows("fsck-skipped", written(w.CHECKED), written("", goal=False), False, "did not reach its goal"),
)
