# SPDX-License-Identifier: MIT
"""What this QEMU can do with several processors is known before the boot."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.errors import EnvironmentFault
from bootlab.launch import plugin, processors
from bootlab.launch.emulator import Emulator
from bootlab.launch.plugin import Plugin
from bootlab.model.launch import LoadedPlugin
from bootlab.model.processors import Processors
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription

SYSTEM = SystemDescription(name="box", kernel=Kernel(image="/k"), goal=Goal(console="x"), machine=Machine(cpus=4))


def qemu(path: str = "/no/qemu", version: str = "10.0.2 (Debian 1:10.0.2)") -> Emulator:
    return Emulator(path=path, version=version, numbers=(10, 0, 2))


@pytest.fixture
def script(tmp_path):
    def make(text: str) -> Emulator:
        path = tmp_path / "qemu"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return qemu(str(path))

    return make


@pytest.fixture
def built(monkeypatch, tmp_path):
    path = tmp_path / "a,b" / "smp.so"
    monkeypatch.setattr(plugin, "prepare_processors", lambda *_: Plugin(str(path), digest="d1"))
    return path


def test_one_processor_needs_nothing():
    one = msgspec.structs.replace(SYSTEM, machine=Machine())
    assert processors.prepare(one, qemu(), None) == processors.Prepared(processors=Processors())


def test_free_mode_needs_nothing():
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
    assert processors.prepare(free, qemu(version="7.2.22"), None).processors == Processors(count=4)


def test_shared_needs_no_plugin():
    shared = msgspec.structs.replace(SYSTEM, clock=Clockwork(processors="shared"))
    found = processors.prepare(shared, qemu(), None)
    assert found.plugin is None
    assert found.processors == Processors(count=4, mode="shared")


def test_a_shared_clock_is_refused_where_its_boots_differ():
    shared = msgspec.structs.replace(SYSTEM, clock=Clockwork(processors="shared"))
    with pytest.raises(EnvironmentFault, match=r"on QEMU 11\.1\.3 two boots of them differ") as caught:
        processors.prepare(shared, qemu(version="11.1.3 (Debian 1:11.1.3)"), None)
    assert 'clock.processors = "parallel"' in caught.value.hint


@pytest.mark.parametrize("mode", ["parallel", "shared"])
def test_qemu_7_is_refused_before_the_boot(mode):
    system = msgspec.structs.replace(SYSTEM, clock=Clockwork(processors=mode))
    with pytest.raises(EnvironmentFault, match=r"4 processors in exact mode: QEMU 7\.2\.22 hangs") as caught:
        processors.prepare(system, qemu(version="7.2.22 (Debian)"), None)
    assert caught.value.exit_code == 3
    assert "take QEMU 10 (machine.emulator)" in caught.value.hint


def test_processors_of_extra_words_count():
    extra = msgspec.structs.replace(SYSTEM, machine=Machine(extra=("-smp", "2")))
    with pytest.raises(EnvironmentFault, match="2 processors"):
        processors.prepare(extra, qemu(version="7.2.22"), None)


def test_the_plugin_has_tested_itself(script, built):
    found = processors.prepare(SYSTEM, script('case "$*" in *check=on*) echo "qemu-smp: ok";; *) exit 1;; esac'), None)
    expected = LoadedPlugin(file=str(built), arguments=("quantum=5000",), digest="d1", carried_as="qemu-smp.so")
    assert found.plugin == expected
    assert found.processors == Processors(count=4, mode="parallel", quantum_ns=5000)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('echo "qemu-smp: this QEMU has no such()" >&2; exit 3', "times of their own: this QEMU has no such()"),
        ("echo broken >&2; exit 1", "ended with 1: broken"),
        ("exit 0", "ended with 0: without a word"),
    ],
)
def test_what_the_plugin_refuses_is_said(script, built, text, said):
    with pytest.raises(EnvironmentFault) as caught:
        processors.prepare(SYSTEM, script(text), None)
    assert said in caught.value.message
    assert 'clock.processors = "shared"' in caught.value.hint


def test_no_emulator_and_no_plugin(built, monkeypatch, tmp_path):
    with pytest.raises(EnvironmentFault, match="does not run"):
        processors.prepare(SYSTEM, qemu(str(tmp_path / "none")), None)
    monkeypatch.setattr(plugin, "prepare_processors", lambda *_: Plugin(None, reason="no C compiler"))
    with pytest.raises(EnvironmentFault, match="times of their own: no C compiler"):
        processors.prepare(SYSTEM, qemu(), None)


def test_what_a_report_says():
    assert Processors().text == ""
    assert Processors(count=2, mode="shared").text == "2 processors, shared"
    parallel = Processors(count=4, mode="parallel", quantum_ns=2500)
    assert parallel.text == "4 processors, parallel, quantum 2.5 us"
    assert "2.5 us apart" in parallel.not_modelled
    assert "sum of what all 2 processors" in Processors(count=2, mode="shared").not_modelled
    assert "this machine has one" in Processors().not_modelled
