# SPDX-License-Identifier: MIT
"""What differs between two systems: proved by the boots where they show it, and no more than that is said."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.api import System
from bootlab.history.differences import between
from bootlab.history.gate import Difference
from bootlab.model.cmdline import CommandLine
from bootlab.model.tree import Entry, FileTree
from bootlab.techniques import all_techniques
from bootlab.views.gate.text import difference_line
from tests.conftest import REPLAYED


@pytest.fixture(scope="module")
def booted(tmp_path_factory):
    """Return the replayed system and its boot, and the same ones with a quiet console."""
    store = tmp_path_factory.mktemp("store")
    plain = System.load(REPLAYED, store=store)
    file = store / "quiet.toml"
    text = REPLAYED.read_text(encoding="utf-8").replace("panic=-1", "panic=-1 quiet")
    file.write_text(text.replace('"fixture"', f'"{REPLAYED.parent / "fixture"}"'), encoding="utf-8")
    quiet = System.load(file, store=store)
    return [(system.value, system.boot().recording) for system in (plain, quiet)]


def told(base, new) -> list[Difference]:
    return list(between(base[0], new[0], [base[1]], [new[1]], all_techniques()))


def with_line(system, line: str):
    return msgspec.structs.replace(system, cmdline=CommandLine.parse(line))


def with_console(recording, more: str):
    return msgspec.structs.replace(recording, console=recording.console + more.encode(), stamps=())


def test_a_parameter_is_shown_active_as_its_technique_proves_it(booted):
    plain, quiet = booted
    found = told(plain, quiet)
    assert found[0].what == "quiet is new on the command line"
    assert (found[0].technique, found[0].active, found[0].removed) == ("quiet", True, False)
    assert ": shown active: quiet: " in difference_line(found[0])
    (gone,) = (one for one in found if one.what.startswith("only the base's boots print: "))
    assert "; Linux version 6.1" in gone.what
    assert gone.removed
    back = told(quiet, plain)
    assert (back[0].what, back[0].active, back[0].removed) == ("quiet is gone from the command line", True, True)
    assert ": shown active in the base (there against here): quiet: " in difference_line(back[0])


def test_a_parameter_that_nothing_proves_is_only_named(booted):
    plain = booted[0]
    other = (with_line(plain[0], f"{plain[0].cmdline} sensor.wait=1"), plain[1])
    assert told(plain, other) == [Difference(what="sensor.wait=1 is new on the command line")]
    # The boots are the same, so the technique sees no effect of its own parameter: that proves nothing.
    same = (with_line(plain[0], f"{plain[0].cmdline} quiet"), plain[1])
    (found,) = told(plain, same)
    assert (found.technique, found.active) == ("quiet", None)
    assert ": not shown active: quiet: " in difference_line(found)


def test_another_value_is_said(booted):
    plain = booted[0]
    other = (with_line(plain[0], str(plain[0].cmdline).replace("panic=-1", "panic=5")), plain[1])
    assert [one.what for one in told(plain, other)] == [
        "panic=5 has another value on the command line: panic=-1 before",
    ]


def test_files_by_their_contents_wherever_they_lie(booted, tmp_path):
    system, recording = booted[0]
    for name, text in (("a", "one"), ("b", "one"), ("c", "two")):
        (tmp_path / name).write_text(text)
    sources = [Entry(kind="file", source=str(tmp_path / name)) for name in "abc"]

    def side(**entries: Entry):
        return system.with_tree(FileTree.of({f"/{name}": entry for name, entry in entries.items()})), recording

    base = side(same=sources[0], other=sources[0], less=sources[0])
    new = side(same=sources[1], other=sources[2], more=sources[0])
    assert [(one.what, one.removed) for one in told(base, new)] == [
        ("new in the root tree: /more", False),
        ("gone from the root tree: /less", True),
        ("changed in the root tree: /other", False),
    ]
    sources[1] = Entry(kind="file", source=str(tmp_path / "a"), mode=0o700)
    assert [one.what for one in told(side(same=sources[0]), side(same=sources[1]))] == [
        "changed in the root tree: /same"
    ]


def test_lines_of_every_boot_of_one_side_and_of_none_of_the_other(booted):
    class Said(msgspec.Struct):
        text: str

    class Boot(msgspec.Struct):
        lines: list[Said]
        meta: object

    system, recording = booted[0]

    def boot(*lines: str) -> Boot:
        return Boot([Said(line) for line in lines], recording.meta)

    base = [boot("pid 17 up", "old"), boot("pid 18 up", "old", "now and then")]
    new = [boot("pid 19 up", "\x1b[31msensor: awake", "now and then"), boot("pid 20 up", "\x1b[31msensor: awake")]
    found = between(system, system, base, new, ())  # type: ignore[arg-type]
    assert [one.what for one in found] == [
        "only the new boots print: ?[31msensor: awake",
        "only the base's boots print: old",
    ]
