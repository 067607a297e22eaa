# SPDX-License-Identifier: MIT
"""`[costs]` of a system file: read, refused where wrong, and written into the faster system's file."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.costs.named import OF_SYSTEM, costs_of
from bootlab.errors import SystemFileError, UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.costs import LINE_TIMES
from bootlab.model.system import Goal, Kernel, SystemDescription
from bootlab.systemfile.costs import load_with
from bootlab.systemfile.loader import loads
from bootlab.systemfile.writer import system_toml

HEAD = (
    'name = "small"\ntarget = "replay"\n[kernel]\nimage = "k"\ncmdline = "console=ttyS0,9600"\n[goal]\nconsole = "x"\n'
)
SYSTEM = SystemDescription(
    name="s", kernel=Kernel(image="k"), goal=Goal(console="g"), target="replay", cmdline=CommandLine.parse("quiet")
)


def close(one, other):
    return (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("words", ["sd-card-20MB,115200", "emmc-hs200,115200,0.8-1.7ns", "no-console,nand", "9600"])
def test_what_is_written_is_read_again(words, tmp_path):
    costs = costs_of(words)
    (tmp_path / "kernel").write_bytes(b"x")
    read = loads(system_toml(msgspec.structs.replace(SYSTEM, costs=costs), {}), path=str(tmp_path / "s.toml"))
    assert read.costs is not None
    assert (read.costs.console is None) == (costs.console is None)
    if costs.console is not None:
        assert close(read.costs.console.baud, costs.console.baud)
    if costs.medium is not None:
        assert close(read.costs.medium.bytes_per_s, costs.medium.bytes_per_s)
        assert close(read.costs.medium.request_ns, costs.medium.request_ns)
        assert read.costs.medium.request_bytes == costs.medium.request_bytes
    if costs.core is not None:
        assert close(read.costs.core.instruction_ns, costs.core.instruction_ns)


def test_a_system_file_with_costs(tmp_path):
    path = tmp_path / "system.toml"
    path.write_text(HEAD + '[costs]\nboard = "emmc-hs200"\n[costs.medium]\npreset = "nand"\n')
    system = load_with(path)
    assert system.costs.name == OF_SYSTEM
    assert system.costs.medium.name == "nand"
    assert system.costs.console.baud.high == pytest.approx(9600 / LINE_TIMES.low), "the command line names it"
    assert load_with(path, "115200").costs.console.baud.high == pytest.approx(115200 / LINE_TIMES.low)
    assert load_with(path, "115200").costs.medium is None, "costs given for a run are all of them"


def test_wrong_costs_name_the_file(tmp_path):
    path = tmp_path / "system.toml"
    path.write_text(HEAD + '[costs]\nboard = "floppy"\n')
    with pytest.raises(SystemFileError, match="floppy") as raised:
        load_with(path)
    assert "costs" in str(raised.value)


def test_the_hosts_clock_holds_its_own_costs(tmp_path):
    path = tmp_path / "system.toml"
    path.write_text(HEAD + '[clock]\nmode = "free"\n')
    assert load_with(path).costs is None
    with pytest.raises(UserError, match="exact boots"):
        load_with(path, "115200")
