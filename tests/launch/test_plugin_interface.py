# SPDX-License-Identifier: MIT
"""Which plugin interface a QEMU has: asked of programs that only look like QEMU, and of QEMU."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bootlab.launch import emulator, plugin, plugin_interface
from bootlab.launch.emulator import Emulator
from bootlab.model.system import Machine


@pytest.fixture
def asked(tmp_path):
    """Ask a shell script in a QEMU's place; return the answer and the versions that were tried."""

    def ask(text: str, name: str = "qemu"):
        path, tries = tmp_path / name, tmp_path / f"{name}.tries"
        path.write_text(f"#!/bin/sh\necho $BOOTLAB_ASK_API >> {tries}\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        found = plugin_interface.ask(Emulator(path=str(path), version="7.2.22", numbers=(7, 2, 22)), tmp_path / "cache")
        return found, tries.read_text().split()

    return ask


def taking(minimum: int, newest: int, build: str = "d954") -> str:
    return (
        f"[ $BOOTLAB_ASK_API -ge {minimum} ] && [ $BOOTLAB_ASK_API -le {newest} ] || "
        f"{{ echo 'Could not load plugin: requires version' $BOOTLAB_ASK_API >&2; exit 1; }}\n"
        f"echo {minimum} {newest} x86_64 {build}"
    )


@pytest.mark.parametrize(
    ("minimum", "newest", "version"),
    [
        (0, 1, 1),
        (1, 1, 1),
        (2, 2, 2),
        (2, 3, 3),
        (3, 3, 3),
        (2, 4, 4),
        (5, 5, 5),
        (6, 6, 6),
        (2, 6, 6),
        (7, 7, 7),
        (3, 9, 7),
    ],
)
def test_what_a_qemu_takes_counts_not_its_version_text(asked, minimum, newest, version):
    found, _ = asked(taking(minimum, newest))
    assert (found.minimum, found.newest, found.version, found.reason) == (minimum, newest, version, "")
    assert (found.target, found.build) == ("x86_64", "d954")


def test_a_qemu_without_an_identity(asked):
    assert asked(taking(7, 7, "-"))[0].build == ""


def test_a_later_interface_is_refused_in_qemus_own_words(asked):
    found, tries = asked(taking(8, 9))
    assert "takes no plugin for the interface's versions 1 to 7" in found.reason
    assert found.reason.endswith("Could not load plugin: requires version 7")
    assert sorted(tries) == list("1234567")


@pytest.mark.parametrize(
    "answer", ["", "echo", "echo hello", "echo 7 7 x86_64", "echo a b c d", "echo 7 7 x86_64 -; exit 1"]
)
def test_what_is_no_answer(asked, answer):
    assert asked(answer)[0].reason


def test_a_refused_qemu_has_no_plugins_and_says_why(tmp_path):
    path = tmp_path / "qemu"
    path.write_text("#!/bin/sh\necho 'TCG plugins are not built in' >&2; exit 1\n")
    path.chmod(0o755)
    made = plugin.prepare(Emulator(path=str(path), version="11.1.3", numbers=(11, 1, 3)), tmp_path / "cache")
    assert made.path is None
    assert "TCG plugins are not built in" in made.reason


@pytest.mark.qemu
def test_this_machines_qemu_is_asked_once(tmp_path, monkeypatch):
    found = emulator.find(Machine())
    said = plugin_interface.ask(found, tmp_path)
    assert not said.reason
    assert said.minimum <= said.version <= said.newest
    assert said.target == "x86_64"
    assert len(said.build) >= 16
    plugin_interface._ask.cache_clear()
    with Path(found.path).open("rb") as file:
        is_script = file.read(2) == b"#!"
    monkeypatch.setattr(plugin_interface, "_answer", lambda *_: pytest.fail("asked again"))
    if is_script:
        return
    assert plugin_interface.ask(found, tmp_path) == said
    kept = next(tmp_path.glob("plugin/interface-*.json"))
    kept.write_text(kept.read_text().replace('"newest":1', '"newest":3').replace('"newest":7', '"newest":6'))
    plugin_interface._ask.cache_clear()
    monkeypatch.setattr(plugin_interface, "_answer", lambda *_: said)
    assert plugin_interface.ask(found, tmp_path) == said
