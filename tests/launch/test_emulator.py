# SPDX-License-Identifier: MIT
"""Which QEMU, which plugin, whether KVM works: with programs that only look like QEMU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bootlab import data
from bootlab.errors import EnvironmentFault, ToolMissing, UserError
from bootlab.launch import emulator, kvm, plugin
from bootlab.launch.emulator import Emulator
from bootlab.model.system import Machine

QEMU = Emulator(path="/q", version="7.2.22", numbers=(7, 2, 22))


@pytest.fixture
def script(tmp_path):
    def make(text: str, name: str = "qemu") -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)

    return make


def test_version(script):
    found = emulator.find(Machine(emulator=script("echo 'QEMU emulator version 9.1.2 (Debian 1:9.1.2)'")))
    assert found.numbers == (9, 1, 2)
    assert found.version == "9.1.2 (Debian 1:9.1.2)"


def test_no_version(script):
    with pytest.raises(EnvironmentFault, match="does not say its version"):
        emulator.find(Machine(emulator=script("echo hello")))


def test_no_program(tmp_path, monkeypatch):
    with pytest.raises(UserError, match="there is no program"):
        emulator.find(Machine(emulator=str(tmp_path / "no")))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="qemu-system-x86_64") as caught:
        emulator.find(Machine())
    assert "apt-get install qemu-system-x86" in caught.value.hint


def test_not_executable_format(tmp_path):
    path = tmp_path / "q"
    path.write_bytes(b"\x7fELF rubbish")
    path.chmod(0o755)
    with pytest.raises(EnvironmentFault, match="does not run"):
        emulator.find(Machine(emulator=str(path)))


def test_plugin_is_built_once(tmp_path, script):
    found = Emulator(path=script("echo 0 1 x86_64 -"), version="", numbers=())
    first = plugin.prepare_trace(found, tmp_path)
    assert first.path, first.reason
    changed = Path(first.path).stat().st_mtime_ns
    assert plugin.prepare_trace(found, tmp_path) == first
    assert Path(first.path).stat().st_mtime_ns == changed


def test_plugin_without_a_compiler(tmp_path, monkeypatch, script):
    found = Emulator(path=script("echo 0 1 x86_64 -"), version="", numbers=())
    monkeypatch.setenv("PATH", str(tmp_path))
    made = plugin.prepare(found, tmp_path / "cache")
    assert made.path is None
    assert "no C compiler" in made.reason


def test_plugin_that_the_compiler_refuses(tmp_path, monkeypatch, script):
    script("echo 'error: no such thing' >&2; exit 1", "cc")
    found = Emulator(path=script("echo 0 1 x86_64 -"), version="", numbers=())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert plugin.prepare(found, tmp_path / "cache").reason == "the compiler refused it: error: no such thing"


def test_plugin_switched_off_or_not_installed(tmp_path, monkeypatch, script):
    found = Emulator(path=script("echo 0 1 x86_64 -"), version="", numbers=())
    monkeypatch.setattr(data, "__file__", str(tmp_path / "__init__.py"))
    assert "without its sources" in plugin.prepare(found, tmp_path).reason
    monkeypatch.setenv("BOOTLAB_NO_PLUGIN", "1")
    assert "BOOTLAB_NO_PLUGIN" in plugin.prepare(QEMU, tmp_path).reason


def test_plugin_where_nothing_can_be_kept(tmp_path, script):
    found = Emulator(path=script("echo 0 1 x86_64 -"), version="", numbers=())
    (tmp_path / "plugin").write_text("a file where a folder should be")
    assert "it cannot be kept" in plugin.prepare(found, tmp_path).reason


# The last argument of the probe's command is file:CONSOLE.
PRINT_K = 'for a; do f=$a; done; printf xK > "${f#file:}"; exec sleep 30'


@pytest.mark.parametrize(
    ("text", "works", "said"),
    [
        (PRINT_K, True, "printed its letter"),
        ("echo 'Could not access KVM kernel module' >&2; exit 1", False, "Could not access KVM kernel module"),
        (
            "echo 'kvm_buf_set_msrs: Assertion `ret == n` failed.' >&2; kill -ABRT $$",
            False,
            "SIGABRT ended it; KVM runs no",
        ),
        ("exit 0", False, "QEMU ended at once: without a message"),
        ("exec sleep 30", False, "printed nothing in 0.3 s"),
    ],
)
def test_kvm_is_believed_only_when_a_guest_ran(script, tmp_path, text, works, said):
    device = tmp_path / "kvm"
    device.touch()
    fake = Emulator(path=script(text), version="", numbers=(7,))
    state = kvm.probe(fake, device=device, wait_s=5 if works else 0.3)
    assert state.works is works
    assert said in state.reason


def test_no_kvm_device(tmp_path, monkeypatch):
    assert kvm.probe(QEMU, device=tmp_path / "kvm").reason.endswith("does not exist")
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert kvm.probe(QEMU, "arm64", device=tmp_path / "kvm").reason.endswith("does not exist")


@pytest.mark.parametrize("arch", ["arm", "arm64", "riscv64"])
def test_kvm_runs_the_hosts_own_architecture_alone(arch, tmp_path, monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    (tmp_path / "kvm").touch()
    assert f"KVM runs no {arch} guest" in kvm.probe(QEMU, arch, device=tmp_path / "kvm").reason


@pytest.mark.parametrize(
    ("arch", "program", "package"),
    [
        ("arm", "qemu-system-arm", "qemu-system-arm"),
        ("arm64", "qemu-system-aarch64", "qemu-system-arm"),
        ("riscv64", "qemu-system-riscv64", "qemu-system-riscv64"),
    ],
)
def test_the_emulator_of_an_architecture(tmp_path, monkeypatch, script, arch, program, package):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match=program) as caught:
        emulator.find(Machine(arch=arch))
    assert f"apt-get install {package}" in caught.value.hint
    path = script("echo 'QEMU emulator version 7.2.22'", program)
    assert emulator.find(Machine(arch=arch)).path == path


def test_what_a_machine_has_unless_it_is_told():
    assert (Machine().type, Machine().cpu) == ("q35", "max")
    assert (Machine(arch="arm").type, Machine(arch="arm").cpu) == ("virt", "cortex-a15")
    assert Machine(arch="arm", type="vexpress-a9").cpu == "cortex-a9"
    assert Machine(arch="arm64", cpu="max").cpu == "max"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open everything")
def test_kvm_device_of_somebody_else(tmp_path):
    (tmp_path / "kvm").touch(mode=0)
    assert "cannot be opened" in kvm.probe(QEMU, device=tmp_path / "kvm").reason


def test_a_program_is_asked_for_its_version_once(tmp_path, script, monkeypatch):
    """Starting QEMU takes a while. A script is asked each time: it may start another program tomorrow."""
    asked = []
    monkeypatch.setattr(emulator, "_asked", lambda path: asked.append(path) or "QEMU emulator version 7.2.1 (x)")
    program = script("echo x")
    for is_program in (False, True):
        monkeypatch.setattr(emulator, "_is_program", lambda path, answer=is_program: answer)
        for _ in range(2):
            emulator._inspect.cache_clear()
            assert emulator.find(Machine(emulator=str(program)), tmp_path).version == "7.2.1 (x)"
    assert len(asked) == 3
    (kept,) = (tmp_path / "emulators").iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"7.2.1", b"7.2.2"))
    emulator._inspect.cache_clear()
    assert emulator.find(Machine(emulator=str(program)), tmp_path).version == "7.2.1 (x)", "damaged, and asked anew"
    Path(program).touch()
    emulator._inspect.cache_clear()
    emulator.find(Machine(emulator=str(program)), tmp_path)
    assert len(asked) == 5


def test_what_a_boot_loads_before_its_machine_runs_needs_no_numpy():
    code = "import sys; from bootlab.cli import boot_run; from bootlab import api; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
