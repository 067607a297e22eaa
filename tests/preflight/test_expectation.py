# SPDX-License-Identifier: MIT
"""What files let expect of a boot before its console shows it: programs, logins, the words of the goal."""

from __future__ import annotations

import pytest

from bootlab.builders import tree_needs
from bootlab.builders.programs.elf import ElfNeeds
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import NO_GOAL, Goal, Initramfs, Kernel, Machine, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.preflight import goal_words, started_programs
from bootlab.preflight.expectation import likely

TABLE = "::sysinit:/etc/init.d/rcS\n{port}::respawn:/sbin/getty -L {port} 115200 vt100\n"


def system(tree: dict[str, Entry], goal: str, line: str = "console=ttyS0", **parts: object) -> SystemDescription:
    return SystemDescription(
        name="s",
        kernel=Kernel(image="/nowhere/kernel"),
        cmdline=CommandLine.parse(line),
        initramfs=Initramfs(tree=FileTree.of(tree)),
        goal=Goal(console=goal),
        **parts,
    )


def script(text: str) -> Entry:
    return Entry(kind="file", text=text, mode=0o755)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("^panel: ready", ("panel", "ready")),
        (r"camera: frame \d+ ready", ("camera", "frame", "ready")),
        (r"Started web\.service", ("Started", "service")),
        ("colou?r is set", ("colo",)),
        ("login:", ("login",)),
        ("a|panel", ()),
        ("(panel) ready", ()),
        (r"\(panel\) ready", ("panel", "ready")),
        ("[Pp]anel", ("anel",)),
    ],
)
def test_words_that_each_match_of_a_goal_has(pattern, words):
    assert goal_words.words_of(pattern) == words


def test_a_word_that_no_file_has(tmp_path, monkeypatch):
    kernel = tmp_path / "kernel"
    kernel.write_bytes(b"packed")
    unpacked = b"\0panel\0clocksource\0Switched to clocksource %s\0"
    monkeypatch.setattr(goal_words._core, "kernel_extract_vmlinux", lambda _: unpacked)
    program = tmp_path / "camera"
    program.write_bytes(b"\x7fELF" + bytes(60) + b"camera: frame %d ready\n")
    tree = {"/init": Entry(kind="file", source=str(program), mode=0o755)}
    at = Kernel(image=str(kernel))

    def said(goal: str) -> str:
        made = system(tree, goal)
        return goal_words.likely(SystemDescription(name="s", kernel=at, goal=made.goal, initramfs=made.initramfs))

    assert said(r"camera: frame \d+ ready") == ""
    assert "the word 'raedy'" in said("camera: frame 1 raedy")
    # A driver's line: the kernel's text is looked at too, two words at a time.
    assert said("Switched to clocksource tsc") == ""
    assert said("clocksource") == ""
    assert "the word 'panel'" in said("^panel: ready")
    assert said("Run /init as init process") == ""
    assert goal_words.likely(system(tree, "camera: frame 1 raedy")) == "", "the kernel cannot be read"


def test_a_login_on_a_port_that_nobody_reads():
    tree = {"/sbin/init": script("x"), "/etc/inittab": Entry(kind="file", text=TABLE.format(port="tty1"))}
    said = started_programs.likely(system(tree, "panel login:", "console=ttyS0 rdinit=/sbin/init"))
    assert "a login on tty1 only, and bootlab reads ttyS0" in said
    assert "ttyS0::respawn:/sbin/getty" in said
    of_system_v = {**tree, "/etc/inittab": Entry(kind="file", text="1:23:respawn:/sbin/getty 38400 tty1\n")}
    said = started_programs.likely(system(of_system_v, "login:", "console=ttyS0 rdinit=/sbin/init"))
    assert "T0:2345:respawn:/sbin/getty -L ttyS0" in said
    for port in ("ttyS0", "console"):
        right = {**tree, "/etc/inittab": Entry(kind="file", text=TABLE.format(port=port))}
        assert "login on" not in started_programs.likely(system(right, "panel login:"))
    assert "login on" not in started_programs.likely(system(tree, "panel: ready"))


def test_what_the_first_script_starts_and_cannot_run(tmp_path, monkeypatch):
    # A program that needs nothing of the tree.
    alone = ElfNeeds(machine=62, wide=True)
    monkeypatch.setattr(tree_needs.elf, "read_needs", lambda _: alone)
    program = tmp_path / "sh"
    program.write_bytes(b"\x7fELF")
    base = {
        "/bin/sh": Entry(kind="file", source=str(program), mode=0o755),
        "/init": script("#!/bin/sh\n/usr/bin/camera --on\n"),
    }

    def said(entry: Entry) -> str:
        return started_programs.likely(system({**base, "/usr/bin/camera": entry}, "g"))

    assert said(script("#!/bin/sh\necho on\n")) == ""
    assert "/init starts /usr/bin/camera: /usr/bin/camera is not executable (mode 0644)" in said(
        Entry(kind="file", text="x", mode=0o644)
    )
    assert "neither an ELF program nor a script" in said(script("echo on\n"))
    assert "ends with a carriage return" in said(script("#!/bin/sh\r\necho on\r\n"))
    assert started_programs.likely(system(base, "g")) == "", "first_script says that it is not there"
    assert "the system starts /usr/bin/app: it is not in the tree" in started_programs.likely(
        system(base, "g", application="/usr/bin/app")
    )


def test_a_program_larger_than_the_memory(tmp_path, monkeypatch):
    program = tmp_path / "camera"
    program.write_bytes(b"x")
    monkeypatch.setattr(started_programs.first_program, "check_needs", lambda *_: None)
    monkeypatch.setattr(
        started_programs._core, "elf_sections", lambda _: [(".bss", 8, 3, 0, 300 << 20), (".x", 1, 0, 0, 1)]
    )
    tree = {"/init": Entry(kind="file", source=str(program), mode=0o755)}
    said = started_programs.likely(system(tree, "g", machine=Machine(memory_mib=256)))
    assert "it needs 300 MiB of memory for its code and data alone, the machine has 256 MiB" in said
    assert started_programs.likely(system(tree, "g", machine=Machine(memory_mib=512))) == ""


def test_what_cannot_run_is_said_first(monkeypatch):
    monkeypatch.setattr(started_programs.first_program, "check_needs", lambda *_: None)
    tree = {"/init": script("#!/bin/sh\necho hello\n"), "/bin/sh": script("x")}
    assert "prints 'hello'" in likely(system(tree, "^panel: raedy"))
    assert "it is not in the tree" in likely(system(tree, "^panel: raedy", application="/usr/bin/app"))


def test_nothing_is_expected_of_a_root_that_was_not_read():
    # As `initramfs-direct` hands it over: the medium is among the machine's words.
    tree = {"/init": script("#!/bin/sh\nmount /dev/vda1 /root\nexec switch_root /root /sbin/init\n")}
    given = system(tree, "^panel: ready", "console=ttyS0 root=UUID=1-2 ro", application="/usr/bin/app")
    assert likely(given) == ""
    assert likely(system(tree, "^panel: ready", application="/usr/bin/app")) != ""


def test_a_first_boot_waits_for_no_line(monkeypatch):
    monkeypatch.setattr(started_programs.first_program, "check_needs", lambda *_: None)
    tree = {"/init": script("#!/bin/sh\necho hello\n"), "/bin/sh": script("x")}
    assert likely(system(tree, NO_GOAL)) == ""
    assert "programs print on tty0" in likely(system(tree, NO_GOAL, "console=ttyS0 console=tty0"))
    assert "it is not in the tree" in likely(system(tree, NO_GOAL, application="/usr/bin/app"))
