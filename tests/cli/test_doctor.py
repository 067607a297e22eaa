# SPDX-License-Identifier: MIT
"""`bootlab doctor` says once, in one line, what root must install."""

from __future__ import annotations

import pytest

from bootlab.api import doctor as machine
from bootlab.cli import doctor
from bootlab.errors import ToolMissing
from bootlab.launch.emulator import Emulator
from bootlab.launch.proof import Proof
from bootlab.launch.self_test import NOT_TRIED


@pytest.mark.parametrize(
    ("proof", "said"),
    [
        (Proof(interface=4, disk_read=True), ["ok", "ok: a tiny program read a disk", "ok: its plugin found"]),
        # A machine without such a program: nothing read a disk, and nothing says so.
        (
            Proof(interface=4),
            ["ok", "ok: its plugin found all it needs in this QEMU; no program read", "no program ran"],
        ),
        (
            Proof(interface=4, devices="no such symbol", processors="hangs"),
            ["ok", "note: not in exact mode: no such symbol", "note: not in exact mode: hangs"],
        ),
        (Proof(stamps=NOT_TRIED), ["note: not shown: this QEMU has not the machine"]),
    ],
)
def test_exactness_claims_what_was_tried(monkeypatch, proof: Proof, said: list[str]):
    monkeypatch.setattr(machine, "prove", lambda *_: proof)
    found = machine._exactness(Emulator(path="/qemu", version="9.1", numbers=(9, 1)), "arm64")
    assert len(found) == len(said)
    for finding, words in zip(found, said, strict=True):
        assert words in f"{finding.state}: {finding.detail}"


def test_what_is_missing_is_one_command(monkeypatch, capsys):
    def no_emulator(machine):
        raise ToolMissing("qemu", package="qemu-system-x86", needed_for="to boot")

    monkeypatch.setattr(machine.emulator, "find", no_emulator)
    monkeypatch.setattr(machine, "path_of", lambda name: None if name in {"lz4", "mkfs.xfs", "cc"} else "/bin/sh")
    monkeypatch.setattr(machine.shutil, "which", lambda name, **_: "/usr/bin/" + name)
    with pytest.raises(SystemExit) as ended:
        doctor.doctor(probe_kvm=False)
    assert ended.value.code == 3
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "all of it at once, as root: apt-get install gcc libc6-dev lz4 qemu-system-x86 xfsprogs"
