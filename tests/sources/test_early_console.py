# SPDX-License-Identifier: MIT
"""Early consoles of boards on another machine."""

from __future__ import annotations

import pytest

from bootlab.model.cmdline import CommandLine
from bootlab.sources import boards
from bootlab.sources.early_console import foreign, translated


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        ("earlycon=ns16550a,mmio32,0x02800000 quiet", "quiet earlycon"),
        ("earlycon=ec_imx6q,0x30890000,115200 x=1", "x=1 earlycon"),
        ("earlycon=pl011,0x9000000", "earlycon=pl011,0x9000000"),
        ("earlycon", "earlycon"),
        ("quiet", "quiet"),
    ],
)
def test_a_board_s_early_console_becomes_the_machine_s(given, becomes):
    line, note = translated(CommandLine.parse(given), boards.usual("arm64"))
    assert str(line) == becomes
    assert bool(note) == (given != becomes)


def test_what_is_not_known_is_left_alone():
    line = CommandLine.parse("earlycon=pl011,mmio32,0x3f201000")
    assert foreign(line, "raspi3b", "arm64") == ()
    assert foreign(line, "q35", "x86_64") == ()
    assert foreign(line, "virt-8.0", "arm64") == ("earlycon=pl011,mmio32,0x3f201000",)
