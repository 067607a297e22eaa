# SPDX-License-Identifier: MIT
"""The diagnostic system, and initcalls out of its log."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.collectors.diagnosis import AGENT, diagnose, diagnostic_system, initcalls_of, why_no_report
from bootlab.model.cmdline import CommandLine
from bootlab.model.recording import Line, Meta, Outcome, Recording
from bootlab.model.root import Root
from bootlab.model.system import Goal
from bootlab.model.tree import Entry, FileTree
from bootlab.systemfile import load
from tests.conftest import REPLAYED

TIMING = Recording(meta=Meta(goal_ns=1_500_000_000), lines=(), marks=())


@pytest.fixture
def system():
    return load(REPLAYED)


def test_what_is_added_and_what_is_taken_away(system):
    loud = msgspec.structs.replace(system, cmdline=CommandLine.parse("quiet a rdinit=/app loglevel=7 ignore_loglevel"))
    made = diagnostic_system(loud, TIMING)
    assert str(made.cmdline) == (
        "a rdinit=/bootlab-agent BOOTLAB_INIT=/app BOOTLAB_WAIT_MS=4000 initcall_debug log_buf_len=16M loglevel=1"
    )
    assert made.initramfs.tree.get(AGENT).mode == 0o755
    assert made.check.console == made.marks == ()
    assert made.limits.stall_virtual_s == system.limits.stall_virtual_s + 4, "the agent's silence is no hang"
    assert "BOOTLAB_INIT=/init" in str(diagnostic_system(system, TIMING).cmdline)
    assert system.initramfs.tree.get(AGENT) is None


def test_without_an_initramfs_there_is_no_agent(system):
    assert diagnostic_system(msgspec.structs.replace(system, initramfs=None), TIMING) is None


def test_initcalls_are_paired_by_name_and_module():
    log = (
        "[    0.000100][    T1] entering initcall level: device",
        "[    0.001000] calling  outer+0x0/0x10 @ 1",
        "[    0.002000] calling  inner+0x0/0x10 [mod] @ 1",
        "[    0.003000] initcall inner+0x0/0x10 [mod] returned -19 after 900 usecs",
        "[    0.005500] initcall outer+0x0/0x10 returned 0 after 4400 usecs",
        "[    0.006000] initcall never_called+0x0/0x10 returned 0 after 1 usecs",
        "[    0.007000] calling  never_returned+0x0/0x10 @ 1",
        "[  9999999999999999.000000] calling  odd+0x0/0x1 @ 1",
    )
    outer, inner = initcalls_of(log)
    assert (inner.name, inner.module, inner.returned, inner.duration_ns) == ("inner", "mod", -19, 1_000_000)
    assert (outer.name, outer.start_ns, outer.duration_ns) == ("outer", 1_000_000, 4_500_000)
    assert outer.level == "device"


def test_a_console_without_report_is_read_as_the_log():
    text = ("[    0.001000] calling  a+0x0/0x1 @ 1", "[    0.002000] initcall a+0x0/0x1 returned 0 after 9 usecs")
    lines = tuple(Line(n + 1, t, 0) for n, t in enumerate(text))
    recording = Recording(meta=Meta(), lines=lines, marks=(), console="\n".join(text).encode())
    found = diagnose(recording)
    assert found.log == text
    assert [i.name for i in found.initcalls] == ["a"]
    assert found.files == ()


def behind_an_initramfs(system, script):
    """Return the system with its tree on a card, mounted by an initramfs whose /init is a script."""
    early = FileTree.of({"/init": Entry(kind="file", mode=0o755, text=script)})
    return msgspec.structs.replace(
        system, root=Root(tree=system.initramfs.tree), initramfs=msgspec.structs.replace(system.initramfs, tree=early)
    )


def test_an_initramfs_that_takes_no_init_goes_on_with_the_agent(system):
    made = diagnostic_system(behind_an_initramfs(system, "#!/bin/sh\nexec switch_root /mnt /etc/init\n"), TIMING)
    assert made.initramfs.tree.get("/init").text == f"#!/bin/sh\nexec switch_root /mnt {AGENT}\n"
    assert made.initramfs.tree.get("/init").mode == 0o755
    assert "BOOTLAB_INIT=/etc/init" in str(made.cmdline)
    assert made.root.tree.get(AGENT) is not None


def test_an_initramfs_that_looks_for_init_stays(system):
    follows = behind_an_initramfs(system, '#!/bin/sh\nexec switch_root /mnt "${init:-/sbin/init}"\n')
    made = diagnostic_system(follows, TIMING)
    assert made.initramfs == follows.initramfs
    assert f"init={AGENT}" in str(made.cmdline)


@pytest.mark.parametrize("line", ["panel: ready", "Kernel panic - not syncing: No working init found"])
def test_a_boot_without_a_report_says_why(system, line):
    system = msgspec.structs.replace(
        behind_an_initramfs(system, '#!/bin/sh\nexec switch_root /mnt "$x"\n'), goal=Goal(console="panel: ready")
    )
    meta = Meta(outcome=Outcome.HANG, reason="nothing printed")
    why = why_no_report(system, Recording(meta=meta, lines=(Line(1, line, 0),), marks=(), path="/kept"))
    assert why.endswith("(recording: /kept)")
    if line == "panel: ready":
        assert "the system reached its goal, but bootlab's agent sent no report: the initramfs did not start" in why
        assert "/proc/cmdline" in why
    else:
        assert why.startswith("hang: nothing printed; no first program could run")
    assert why_no_report(system, Recording(meta=Meta(), lines=(), marks=())) == ""
