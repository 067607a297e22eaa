# SPDX-License-Identifier: MIT
"""Units on the virtual clock, out of what systemd prints on any console, and the chain that the goal waited for."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.analysis.stages import timeline_of
from bootlab.analysis.user_space import critical_chain, unit_spans
from bootlab.model.recording import Line, Mark, Meta, Recording
from bootlab.model.root import Root
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.recordings.console import text_of

MS = 1_000_000
NAMED = (
    (100, "[  OK  ] Reached target sysinit.target - System Initialization."),
    (110, "         Starting slow.service - A slow one..."),
    (120, "         Starting quick.service - A quick one..."),
    (130, "[  OK  ] Finished quick.service - A quick one."),
    (140, "[   13.0] a line of the kernel"),
    (300, "[  OK  ] Finished slow.service - A slow one."),
    (310, "         Starting web.service - A web server..."),
    (350, "[  OK  ] Started web.service - A web server."),
    (360, "[FAILED] Failed to start broken.service - Broken."),
)
DESCRIBED = tuple(
    (ms, text.replace("slow.service - ", "").replace("quick.service - ", "").replace("web.service - ", ""))
    for ms, text in NAMED
)
COLOURED = tuple(
    (ms, text.replace("[  OK  ]", "[\x1b[0;32m  OK  \x1b[0m]").replace("web.service", "\x1b[0;1;39mweb.service\x1b[0m"))
    for ms, text in NAMED
)
CUT = tuple(
    (ms, text.replace("slow.service - A slow one", "slow.serv\N{HORIZONTAL ELLIPSIS}slow one")) for ms, text in NAMED
)
# While a job takes long, systemd shows a line about it, and goes back over it with the next message.
OVERWRITTEN = tuple(
    (ms, text_of(b"\x1bM\r\x1b[K" + text.encode()) if "slow.service" in text else text) for ms, text in NAMED
)

# The cut may take the beginning of what switches a colour off, or its end.
CUT_COLOURS = [
    tuple((ms, text.replace("web.service - A web server", f"web.service{rest}A web server")) for ms, text in NAMED)
    for rest in ("\x1b[\N{HORIZONTAL ELLIPSIS}- ", "\x1b\N{HORIZONTAL ELLIPSIS}[0m - ", "\N{HORIZONTAL ELLIPSIS}m - ")
]


def unit(text: str) -> Entry:
    return Entry(kind="file", mode=0o644, text=text)


def system(goal: str = r"Started web\.service") -> SystemDescription:
    folder = "/usr/lib/systemd/system"
    tree = FileTree.of(
        {
            "/lib": Entry(kind="symlink", target="usr/lib"),
            "/sbin/init": Entry(kind="symlink", target="/lib/systemd/systemd"),
            "/usr/lib/systemd/systemd": Entry(kind="file"),
            f"{folder}/web.service": unit(
                "[Unit]\nDescription=A web server\nAfter=slow.service quick.service\n"
                "[Service]\nExecStart=/usr/bin/web\n"
            ),
            f"{folder}/slow.service": unit("[Unit]\nDescription=A slow one\nDefaultDependencies=no\n"),
            f"{folder}/quick.service": unit("[Unit]\nDescription=A quick one\n"),
        }
    )
    root = Root(image="/disk.raw", tree=tree, given=tree)
    return SystemDescription(name="s", kernel=Kernel(image="k"), goal=Goal(console=goal), root=root)


def booted(lines: tuple[tuple[int, str], ...]) -> Recording:
    shown = tuple(Line(n, text, 0, first_ns=ms * MS, last_ns=ms * MS) for n, (ms, text) in enumerate(lines))
    marks = (Mark("power-on", 0), Mark("goal", 350 * MS))
    return Recording(meta=Meta(goal_ns=350 * MS), lines=shown, marks=marks)


@pytest.mark.parametrize(
    "lines",
    [NAMED, DESCRIBED, COLOURED, CUT, OVERWRITTEN, *CUT_COLOURS],
    ids=["names", "descriptions", "colours", "cut", "overwritten", "beginning", "whole", "end"],
)
def test_the_chain_that_the_goal_waited_for(lines):
    chain = critical_chain(booted(lines), system())
    assert [(s.name, s.start_ns // MS, s.duration_ns // MS) for s in chain] == [
        ("web.service", 310, 40),
        ("slow.service", 110, 190),
    ]
    timeline = timeline_of(booted(lines), system=system())
    assert timeline.chain == chain
    assert {s.name for s in timeline.spans if s.lane == "units"} >= {"web.service", "slow.service", "quick.service"}


def test_units_of_an_initrd_are_not_those_that_the_goal_waited_for():
    own = tuple((ms // 10, text) for ms, text in NAMED[:6] if "slow.service" in text)
    found = booted((*own, *NAMED))
    switched = msgspec.structs.replace(found, marks=(*found.marks, Mark("switch-root", 90 * MS)))
    assert critical_chain(switched, system()) == critical_chain(booted(NAMED), system())
    spans = {span.name: span.start_ns // MS for span in unit_spans(switched, system())}
    assert spans["slow.service"] == 110


def test_units_are_seen_without_their_files_but_no_chain_is():
    spans = {s.name: (s.start_ns // MS, s.duration_ns // MS) for s in unit_spans(booted(NAMED))}
    assert spans["slow.service"] == (110, 190)
    assert spans["sysinit.target"] == (100, 0)
    assert spans["broken.service"] == (360, 0)
    assert timeline_of(booted(NAMED)).chain == ()
    assert critical_chain(booted(((1, "rcS: start"),)), system()) == ()


def test_a_goal_that_names_no_unit_ends_at_the_last_one_before_it():
    assert critical_chain(booted(NAMED), system("login:"))[0].name == "web.service"
