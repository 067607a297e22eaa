# SPDX-License-Identifier: MIT
"""What keys say of themselves: meaning, range, whether they name files."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.model.key import file_keys, keys, ranges
from bootlab.model.machine import Clockwork, Machine
from bootlab.systemfile.raw import RawClock, RawMachine


@pytest.mark.parametrize("kind", [Machine, Clockwork, RawMachine, RawClock])
def test_every_key_of_a_machine_and_its_clock_says_what_it_means(kind):
    assert keys(kind).keys() == set(kind.__struct_fields__)
    assert all(said.description for said in keys(kind).values())


def test_a_default_lies_within_its_range():
    for kind in (Machine, Clockwork):
        for name, (least, most, _) in ranges(kind).items():
            assert least <= getattr(kind(), name) <= most


def test_keys_of_files_hold_texts():
    assert file_keys(Machine) == {"disks", "flash", "sd", "pmem", "dtb", "picture", "emulator"}
    assert all(msgspec.structs.asdict(Machine())[name] in {(), None} for name in file_keys(Machine))
