# SPDX-License-Identifier: MIT
"""A board's costs by name and by file: what is known is an interval with a source, what is wrong is named."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.costs.named import LINE_TIMES, READ_TIMES, costs_of, known_on, media
from bootlab.errors import BootlabError, UserError
from bootlab.model.cmdline import CommandLine
from bootlab.model.costs import Between
from tests.examples import examples


def around(rate, times):
    """Return what a rate is in effect where the time at it is so many times as long as it says."""
    return Between(pytest.approx(rate / times.high), pytest.approx(rate / times.low))


def test_words():
    found = costs_of("sd-card-20MB,115200,1.2-2ns")
    assert (found.medium.name, found.medium.bytes_per_s) == ("sd-card", around(20e6, READ_TIMES))
    assert found.console.baud == around(115200, LINE_TIMES)
    assert "20 MB/s given; 16 loads" in found.medium.source
    assert found.core.instruction_ns == Between(1.2, 2.0)
    assert costs_of("emmc-hs200").unknown == ("console's rate", "processor")
    assert costs_of("no-console,nand").console.character_ns.high < 1e-3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "empty"),
        (",", "empty"),
        ("sdcard", "'sdcard' is not known"),
        ("115200,9600", "two values for the console"),
        ("nand,spi-nor", "two values for the medium"),
        ("9", "out of range"),
        ("sd-card-0MB", "out of range"),
        ("2-1ns", "out of range"),
        ("missing.toml", "cannot be read"),
    ],
)
def test_words_that_say_nothing(words, said):
    with pytest.raises(UserError, match=said) as raised:
        costs_of(words)
    assert raised.value.hint


def test_every_preset_is_an_interval_with_a_source():
    assert media().keys() >= {"spi-nor", "nand", "sd-hs", "emmc-ddr52", "emmc-hs200", "emmc-hs400", "sata", "nvme"}
    for name, medium in media().items():
        assert medium.name == name
        assert medium.source
        assert medium.bytes_per_s.low < medium.bytes_per_s.high


def test_a_file(tmp_path):
    path = tmp_path / "board.toml"
    path.write_text('[console]\nbaud = [9600, 115200]\n[medium]\npreset = "emmc-hs200"\nmegabytes_per_s = 120\n')
    found = costs_of(str(path))
    assert (found.console.baud, found.medium.bytes_per_s) == (Between(9600, 115200), around(120e6, READ_TIMES))
    assert found.medium.request_bytes == media()["emmc-hs200"].request_bytes
    assert found.name == str(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "say nothing"),
        ("[console]\n", "baud"),
        ("[console]\nbaud = 'fast'\n", "baud"),
        ("[console]\nbaud = nan\n", "out of range"),
        ("[medium]\nrequest_us = 3\n", "neither a preset nor"),
        ("[medium]\npreset = 'floppy'\n", "floppy"),
        ("[medium]\nmegabytes_per_s = [20, 10]\n", "out of range"),
        ("[medium]\nmegabytes_per_s = [1, 2, 3]\n", "megabytes_per_s"),
        ("[core]\ninstruction_ns = -1\n", "out of range"),
        ("[colour]\n", "colour"),
        ("= broken", "Invalid"),
    ],
)
def test_a_file_that_is_wrong(tmp_path, text, said):
    path = tmp_path / "board.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=said):
        costs_of(str(path))


@examples(200)
@given(st.binary(max_size=200))
def test_rubbish_is_refused_and_nothing_else(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "rubbish.toml"
    path.write_bytes(data)
    with pytest.raises(BootlabError):
        costs_of(str(path))


def test_the_command_line_names_the_rate():
    cmdline = CommandLine.parse("console=ttyS0,9600n8 console=tty0")
    assert known_on(costs_of("nand"), cmdline).console.baud == around(9600, LINE_TIMES)
    assert known_on(costs_of("nand,115200"), cmdline).console.baud == around(115200, LINE_TIMES)
    assert known_on(costs_of("nand"), CommandLine.parse("quiet")).console is None


def test_written_and_read_again_they_are_the_same():
    found = costs_of("emmc-hs200,115200,1-2ns")
    assert msgspec.json.decode(msgspec.json.encode(found), type=type(found)) == found


def test_a_core_is_named_and_a_costing_boot_has_yet_to_tell_its_time():
    costs = costs_of("sd-card-20MB,cortex-a53@1.2GHz")
    assert (costs.modelled, costs.core) == ("cortex-a53@1.2GHz", None)
    assert "a costing boot of the base tells its time" in costs.lines()[-1]
    for twice in ("cortex-a53,cortex-a8", "1.2ns,cortex-a53", "cortex-a53,1.2ns"):
        with pytest.raises(UserError, match="two values for the core"):
            costs_of(twice)
