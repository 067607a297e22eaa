# SPDX-License-Identifier: MIT
"""Boots that a command tells: a made-up machine that reboots, answers too early, and talks on standard error."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bootlab.api.history import gate, told_by
from bootlab.errors import EnvironmentFault, TargetError, UserError
from bootlab.history import commands

MACHINE = r"""#!/bin/sh
cd "$(dirname "$0")" || exit 1
n=$(cat boots)
case $1 in
reboot)
    # The answer of the boot that goes down, a refused connection, and a boot that has not finished come first.
    printf 'old\nrefused\nearly\n' > next
    echo "Connection to vm closed by remote host." >&2
    exit 255 ;;
tell)
    case $(head -n 1 next) in
    refused) sed -i 1d next; echo "ssh: connect to host vm port 22: Connection refused" >&2; exit 255 ;;
    early) sed -i 1d next; n=$((n + 1)); echo $n > boots
        echo "Bootup is not yet finished (org.freedesktop.systemd1.Manager.FinishTimestampMonotonic=0)."
        echo "Please try again later."; exit 1 ;;
    old) sed -i 1d next ;;
    esac
    echo "Warning: Permanently added 'vm' (ED25519) to the list of known hosts." >&2
    printf 'Startup finished in 2.%d11s (kernel) + 4.000s (userspace) = 6.%d11s \r\n' "$n" "$n" ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(commands, "_PAUSE_S", 0.01)
    script = tmp_path / "machine.sh"
    script.write_text(MACHINE, encoding="utf-8")
    (tmp_path / "boots").write_text("1", encoding="utf-8")
    (tmp_path / "next").write_text("", encoding="utf-8")
    return script


def test_a_machine_is_started_again_and_waited_for(machine: Path, tmp_path: Path) -> None:
    said: list[str] = []
    side = told_by(
        f"sh {machine} tell",
        repeat=5,
        reboot=f"sh {machine} reboot",
        wait_s=60,
        keep=tmp_path / "kept",
        waiting=said.append,
    )
    assert side.values_ns("total") == tuple(6_011_000_000 + boot * 100_000_000 for boot in range(1, 6))
    assert sorted(file.name for file in (tmp_path / "kept").iterdir()) == [f"run_{boot}.txt" for boot in range(1, 6)]
    assert len(said) == 4
    assert gate(side, budget=["total=7s"]).answer.value == "passed"


def test_the_same_boot_twice_is_refused(machine: Path) -> None:
    with pytest.raises(UserError, match=r"run 2 .* tells the same boot") as fault:
        told_by(f"sh {machine} tell", repeat=2)
    assert "--reboot" in fault.value.hint


def test_what_prints_no_boot_is_told_at_once_and_what_fails_is_waited_for() -> None:
    with pytest.raises(EnvironmentFault, match=r"ended with code 127: .*no-such-program"):
        told_by("no-such-program", wait_s=60)
    with pytest.raises(UserError, match="printed no boot"):
        told_by("echo hello", wait_s=60)
    with pytest.raises(UserError, match="printed no boot"):
        told_by("true", wait_s=60)
    with pytest.raises(TargetError, match=r"nothing came in 0.1 s: refused"):
        told_by("echo refused >&2; exit 255", wait_s=0.1)


def test_nothing_that_was_started_stays(tmp_path: Path) -> None:
    """A command that does not end is ended with its children, and what it waits for is named."""
    mark = tmp_path / "alive"
    with pytest.raises(TargetError):
        told_by(f"(while :; do date > {mark}; sleep 0.05; done) & wait", wait_s=0.3)
    mark.unlink(missing_ok=True)
    time.sleep(0.3)
    assert not mark.exists()
