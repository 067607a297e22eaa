# SPDX-License-Identifier: MIT
"""What some techniques propose, in detail."""

import msgspec
import pytest

from bootlab.model.change import DropFiles, DropParam, ExtendParam, SetCompression, SetParam, apply_all
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Diagnosis, FileRead, Initcall, Line
from bootlab.model.system import Initramfs
from bootlab.model.tree import Entry, FileTree
from bootlab.techniques import get
from bootlab.techniques.base import Answer
from bootlab.techniques.kernel.initcalls import MAX_CANDIDATES
from bootlab.techniques.vital_initcalls import vital
from tests.techniques import written as w
from tests.techniques.recordings import CONFIG, as_context, context, diagnosis, evidence, written


def _labels(technique, booted):
    return [change.label for change in get(technique).changes(booted)]


def test_lpj_is_compiled_in_beside_the_boot_loaders_line():
    (change,) = get("lpj-compiled-in").changes(context("no-tsc"))
    assert change.ops[0].options == (("CMDLINE", '"lpj=995328"'), ("CMDLINE_BOOL", "y"))
    assert get("lpj-compiled-in").changes(context("quiet")) == ()


def test_lpj_is_what_the_kernel_printed():
    assert get("lpj-preset").changes(context("no-tsc"))[0].ops == (SetParam("lpj", "995328"),)
    assert get("lpj-preset").changes(context("quiet")) == ()


def test_compression_formats_are_those_of_both_sides():
    assert _labels("initramfs-compression", context("base")) == ["none", "xz", "lz4", "zstd"]
    no_xz = {key: value for key, value in CONFIG.items() if key != "CONFIG_RD_XZ"}
    assert _labels("initramfs-compression", context("base", config=no_xz)) == ["none", "lz4", "zstd"]
    packed = context("base", initramfs=Initramfs(compression="lz4"))
    assert _labels("initramfs-compression", packed) == ["none", "gzip", "xz", "zstd"]
    assert get("initramfs-compression").changes(packed)[0].ops == (SetCompression("none"),)


def test_loglevels_below_the_present_one():
    assert _labels("loglevel", context("base")) == ["3", "0"]
    assert _labels("loglevel", context("base", cmdline=CommandLine.parse("quiet loglevel=3"))) == ["0"]
    changed = get("loglevel").changes(context("quiet"))[0].apply(evidence("quiet").system)
    assert not changed.cmdline.has("quiet")
    assert changed.cmdline.value("loglevel") == "3"


def test_async_turns_to_the_other_value():
    assert _labels("initramfs-async", context("base")) == ["0"]
    assert _labels("initramfs-async", context("initramfs-async-0")) == ["1"]


def test_processors_later_are_all_but_one_and_all_but_two_of_more():
    two = as_context(written(w.TWO_CPUS))
    assert get("processors-later").changes(two)[0].ops == (SetParam("maxcpus", "1"),)
    assert _labels("processors-later", two) == ["1"]
    four = as_context(written(w.TWO_CPUS.replace("2 CPUs", "4 CPUs")))
    assert _labels("processors-later", four) == ["1", "2"]


def test_uarts_keep_the_console():
    assert get("serial-8250-uarts").changes(context("base"))[0].ops == (SetParam("8250.nr_uarts", "1"),)
    third = context("base", cmdline=CommandLine.parse("console=ttyS2,9600n8"))
    assert get("serial-8250-uarts").changes(third)[0].ops == (SetParam("8250.nr_uarts", "3"),)
    assert get("serial-8250-uarts").changes(context("quiet"))[0].ops == (SetParam("8250.nr_uarts", "1"),)


def test_memory_is_halved():
    assert get("memory-limit").changes(context("base"))[0].ops == (SetParam("mem", "127M"),)


@pytest.mark.parametrize(
    ("total_mib", "initramfs_bytes", "limit"),
    [(256, 5_648_000, "142M"), (256, None, "128M"), (1024, 5_648_000, "512M"), (256, 200 << 20, None)],
)
def test_on_a_board_the_initramfs_stays_in_the_memory(total_mib, initramfs_bytes, limit):
    """QEMU puts it 128 MiB from the start: with mem=128M a vexpress has no root any more."""
    booted = context("base")
    machine = msgspec.structs.replace(booted.system.machine, arch="arm", type="vexpress-a9")
    line = f"[    0.000000] Memory: 149968K/{total_mib << 10}K available (11264K kernel code)"
    sizes = {} if initramfs_bytes is None else {"initramfs": initramfs_bytes}
    booted = msgspec.structs.replace(
        booted,
        system=msgspec.structs.replace(booted.system, machine=machine),
        recording=msgspec.structs.replace(
            booted.recording,
            lines=(Line(number=1, text=line, offset_bytes=0),),
            meta=msgspec.structs.replace(booted.recording.meta, artefact_bytes=sizes),
        ),
        diagnosis=None,
    )
    technique = get("memory-limit")
    assert (technique.applies(booted).answer is Answer.NO) == (limit is None)
    if limit is not None:
        assert technique.changes(booted)[0].ops == (SetParam("mem", limit),)


def test_leftovers_are_all_dropped():
    line = "console=ttyS0 initcall_debug debug ignore-loglevel log_buf_len=4M quiet"
    booted = context("base", cmdline=CommandLine.parse(line))
    changed = apply_all(booted.system, get("debug-leftovers").changes(booted))
    assert str(changed.cmdline) == "console=ttyS0 quiet"


def test_dropping_the_console_drops_each_of_them():
    booted = context("base", cmdline=CommandLine.parse("console=tty0 console=ttyS0 quiet"))
    removed, null = get("console-dropped").changes(booted)
    assert str(removed.apply(booted.system).cmdline) == "quiet"
    assert str(null.apply(booted.system).cmdline) == "quiet console=null"


def test_rootwait_takes_the_place_of_rootdelay():
    booted = context("disk-rootdelay")
    changed = apply_all(booted.system, get("rootdelay-to-rootwait").changes(booted))
    assert not changed.cmdline.has("rootdelay")
    assert changed.cmdline.has("rootwait")
    assert get("rootdelay-to-rootwait").changes(booted)[0].ops[0] == DropParam("rootdelay")


def test_rootfstype_is_what_was_mounted():
    assert get("rootfstype").changes(context("disk-rootwait"))[0].ops == (SetParam("rootfstype", "ext4"),)


def test_pci_off_keeps_other_words():
    booted = context("base", cmdline=CommandLine.parse("pci=nomsi"))
    assert str(apply_all(booted.system, get("pci-off").changes(booted)).cmdline) == "pci=nomsi,off"


class TestInitcallBlacklist:
    technique = get("initcall-blacklist")

    def test_candidates_of_a_real_boot(self):
        labels = _labels("initcall-blacklist", context("base", diagnostic="diagnostic"))
        assert labels[:2] == ["init_blk_tracer", "cubictcp_register"]
        assert len(labels) <= MAX_CANDIDATES
        assert not any(vital(label) for label in labels)

    def test_each_is_a_variant_and_they_add_up(self):
        booted = context("base", diagnostic="diagnostic")
        changes = self.technique.changes(booted)
        assert changes[0].ops == (ExtendParam("initcall_blacklist", changes[0].label),)
        line = apply_all(booted.system, changes[:2]).cmdline
        assert line.value("initcall_blacklist") == f"{changes[0].label},{changes[1].label}"
        assert not self.technique.exclusive

    @pytest.mark.parametrize(
        "name",
        [
            "chr_dev_init",
            "tty_init",
            "serial8250_init",
            "populate_rootfs",
            "init_ramfs_fs",
            "clocksource_done_booting",
            "init_tsc_clocksource",
            "rcu_spawn_gp_kthread",
            "acpi_init",
            "pci_subsys_init",
            "default_bdi_init",
            "init_ima",
            "apparmor_init",
            "load_system_certificate_list",
            "audit_init",
            "crypto_algapi_init",
            "shmem_init",
            "devtmpfs_init",
            "console_init",
            "kswapd_init",
            "cgroup_init",
            "irq_sysfs_init",
            "deferred_probe_initcall",
        ],
    )
    def test_what_no_system_lives_without_is_never_proposed(self, name):
        boot = diagnosis("diagnostic")
        slow = Initcall(name=name, start_ns=10**9, duration_ns=5 * 10**8, returned=0)
        booted = msgspec.structs.replace(
            context("base"), diagnosis=Diagnosis(recording=boot.recording, initcalls=(slow,), log=boot.log)
        )
        assert self.technique.changes(booted) == ()

    @pytest.mark.parametrize(
        ("name", "module", "duration_ns", "proposed"),
        [
            ("foo_init", None, 2_000_001, True),
            ("foo_init+0x0/0x10", None, 2_000_001, True),
            ("foo_init", None, 2_000_000, False),
            ("foo_init", "foo", 900_000_000, False),
            ("foo init;reboot", None, 900_000_000, False),
            ("foo,bar", None, 900_000_000, False),
        ],
    )
    def test_only_slow_built_in_functions(self, name, module, duration_ns, proposed):
        call = Initcall(name=name, module=module, start_ns=0, duration_ns=duration_ns, returned=0)
        found = Diagnosis(recording=diagnosis("diagnostic").recording, initcalls=(call,))
        booted = msgspec.structs.replace(context("base"), diagnosis=found)
        assert [c.label for c in self.technique.changes(booted)] == (["foo_init"] if proposed else [])

    @pytest.mark.parametrize(
        ("console_during", "proposed"),
        [
            ("deferred_probe_initcall", ["crypto_init"]),
            ("", ["crypto_init"]),
            ("uart_init", ["sysreg_init", "crypto_init"]),
        ],
    )
    def test_a_driver_that_the_console_may_wait_for_stays(self, console_during, proposed):
        """On a vexpress the port's clock is behind the system registers: without their driver nothing is printed."""
        log = (
            "[    5.900000] calling  sysreg_init+0x0/0x18 @ 1",
            "[    6.100000] probe of 10000000.sysreg returned 0 after 167568 usecs",
            "[    6.100000] initcall sysreg_init+0x0/0x18 returned 0 after 168378 usecs",
            "[    6.100000] calling  crypto_init+0x0/0x18 @ 1",
            "[    6.200000] probe of dma returned 6 after 1 usecs",
            "[    6.200000] initcall crypto_init+0x0/0x18 returned 0 after 100000 usecs",
            *([f"[    6.300000] calling  {console_during}+0x0/0x18 @ 1"] if console_during else []),
            "[    6.300000] printk: console [ttyAMA0] enabled",
            "[    6.300000] probe of 10009000.uart returned 0 after 24740 usecs",
        )
        calls = (
            Initcall(name="sysreg_init+0x0/0x18", start_ns=5 * 10**9, duration_ns=168_000_000, returned=0),
            Initcall(name="crypto_init+0x0/0x18", start_ns=6 * 10**9, duration_ns=100_000_000, returned=0),
        )
        found = Diagnosis(recording=diagnosis("diagnostic").recording, initcalls=calls, log=log)
        assert _labels("initcall-blacklist", msgspec.structs.replace(context("base"), diagnosis=found)) == proposed

    def test_half_a_percent_of_a_long_boot(self):
        calls = (
            Initcall(name="slow_init", start_ns=0, duration_ns=10_000_000_000, returned=0),
            Initcall(name="quick_init", start_ns=10_000_000_000, duration_ns=49_000_000, returned=0),
        )
        found = Diagnosis(recording=diagnosis("diagnostic").recording, initcalls=calls)
        assert _labels("initcall-blacklist", msgspec.structs.replace(context("base"), diagnosis=found)) == ["slow_init"]


class TestDriverAsyncProbe:
    def test_drivers_are_named_by_their_own_messages(self):
        labels = _labels("driver-async-probe", context("base", diagnostic="diagnostic"))
        assert labels == ["slow", "all"]
        first = get("driver-async-probe").changes(context("base", diagnostic="diagnostic"))[0]
        assert first.ops == (SetParam("driver_async_probe", "rtc_cmos"),)

    def test_without_a_diagnosis_all_of_them(self):
        assert _labels("driver-async-probe", context("base")) == ["all"]


class TestInitramfsSlim:
    technique = get("initramfs-slim")

    def _dropped(self, tree, read, *, keep=(), told=None, **replace):
        initramfs = Initramfs(tree=FileTree.of(tree), keep=keep)
        boot = diagnosis("diagnostic")
        paths = told if told is not None else [p for p, e in tree.items() if e.kind == "file"]
        files = tuple(FileRead(path=path, read=path in read, size_bytes=10) for path in paths)
        booted = msgspec.structs.replace(
            as_context(evidence("base", initramfs=initramfs, **replace)),
            diagnosis=Diagnosis(recording=boot.recording, files=files),
        )
        changes = self.technique.changes(booted)
        assert all(isinstance(op, DropFiles) for change in changes for op in change.ops)
        return [path for change in changes for op in change.ops for path in op.paths]

    def test_unread_files_go_and_everything_else_stays(self):
        tree = {
            "/init": Entry(kind="file", text="#!/bin/sh\n"),
            "/bin": Entry(kind="dir"),
            "/bin/sh": Entry(kind="symlink", target="busybox"),
            "/bin/busybox": Entry(kind="file"),
            "/bin/unused": Entry(kind="file"),
            "/dev/console": Entry(kind="char", major=5, minor=1),
            "/etc/fifo": Entry(kind="fifo"),
        }
        assert self._dropped(tree, {"/init"}, application=None) == ["/bin/unused"]

    def test_interpreters_behind_links_are_followed(self):
        tree = {
            "/init": Entry(kind="file", text="#! /usr/bin/env sh\n"),
            "/usr": Entry(kind="symlink", target="lib/usr"),
            "/lib/usr/bin/env": Entry(kind="symlink", target="../../busybox"),
            "/lib/busybox": Entry(kind="file"),
            "/lib/other": Entry(kind="file"),
        }
        assert self._dropped(tree, {"/init"}, application=None) == ["/lib/other"]

    def test_a_loop_of_links_ends(self):
        tree = {
            "/init": Entry(kind="file", text="#!/a\n"),
            "/a": Entry(kind="symlink", target="b"),
            "/b": Entry(kind="symlink", target="a"),
            "/c": Entry(kind="file"),
        }
        assert self._dropped(tree, {"/init"}, application=None) == ["/c"]

    def test_keep_init_and_application_stay(self):
        names = ("/init", "/app", "/etc/keep.conf", "/lib/firmware/a.bin", "/other", "/start")
        tree = {name: Entry(kind="file") for name in names}
        kept = ("/etc/*.conf", "/lib/firmware/*")
        assert self._dropped(tree, set(), keep=kept, application="/app") == ["/other", "/start"]
        rdinit = CommandLine.parse("rdinit=/start")
        assert self._dropped(tree, set(), keep=kept, application="/app", cmdline=rdinit) == ["/init", "/other"]

    def test_a_file_of_which_nothing_is_told_stays(self):
        tree = {name: Entry(kind="file") for name in ("/init", "/a", "/b")}
        assert self._dropped(tree, {"/init"}, told=["/init", "/b"], application=None) == ["/b"]
