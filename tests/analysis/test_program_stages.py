# SPDX-License-Identifier: MIT
"""Stages of user space out of the programs that a boot starts."""

from __future__ import annotations

from bootlab.analysis.program_stages import marks
from bootlab.model.recording import Mark
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.model.timeline import ProgramStart


def programs(*rows: tuple[int, str, int]) -> tuple[ProgramStart, ...]:
    return tuple(ProgramStart(name=name, task=task, ns=ns, insns=ns // 2) for task, name, ns in rows)


def system(application: str | None = "/usr/bin/camera") -> SystemDescription:
    return SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), application=application)


def found(rows, known=(), application="/usr/bin/camera"):
    return [(m.name, m.ns, m.source) for m in marks(system(application), rows, known)]


INITRD = ((1, "init", 100), (2, "mount", 110), (3, "insmod", 120), (1, "switch_root", 200), (1, "init", 210))


def test_from_the_initrd_to_the_application():
    rows = programs(*INITRD, (4, "rcS", 250), (5, "S10net", 260), (6, "camera", 300), (7, "sh", 400))
    assert found(rows) == [
        ("switch-root", 200, "execve: switch_root"),
        ("rc-scripts", 250, "execve: rcS"),
        ("application", 300, "execve: camera"),
    ]


def test_marks_that_the_boot_has_are_left():
    rows = programs(*INITRD, (4, "rcS", 250), (6, "camera", 300))
    known = (Mark("switch-root", 199), Mark("rc-scripts", 255))
    assert found(rows, known) == [("application", 300, "execve: camera")]
    assert found(rows, (Mark("switch-root", 199), Mark("units", 240))) == [("application", 300, "execve: camera")]


def test_a_system_without_an_initrd():
    rows = programs((1, "init", 100), (2, "rcS", 150), (3, "camera", 190))
    assert [name for name, *_ in found(rows)] == ["rc-scripts", "application"]
    assert [name for name, *_ in found(rows, application=None)] == ["rc-scripts"]
    assert found(()) == []


def test_an_application_that_is_the_first_program_or_has_a_long_name():
    assert found(programs((1, "camera", 100))) == [("application", 100, "execve: camera")]
    rows = programs((1, "init", 100), (2, "a-very-long-app", 150))
    assert found(rows, application="/usr/bin/a-very-long-application") == [
        ("application", 150, "execve: a-very-long-app")
    ]
