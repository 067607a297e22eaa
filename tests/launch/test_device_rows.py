# SPDX-License-Identifier: MIT
"""The rows that benchmarks/exact_devices.py keeps: what a call that was broken off has done is not done again."""

from __future__ import annotations

import sys

import msgspec

from bootlab.launch.exact_devices import SeenBoots
from tests.conftest import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "benchmarks"))

import exact_device_rows
import exact_devices

NVME = next(row for row in exact_device_rows.ROWS if row.id == "nvme")
SEEN = SeenBoots(qemu="11.1.3", boots=2, loaded=2, exact=True, date="2026-11-29", in_step=True)


def test_a_row_is_kept_for_its_qemu_and_its_plugin(tmp_path):
    path = tmp_path / "rows.json"
    assert not exact_devices.is_kept(path, NVME, "11.1.3", in_step=True)
    exact_devices.keep(path, NVME, SEEN)
    assert exact_devices.is_kept(path, NVME, "11.1.3", in_step=True)
    assert not exact_devices.is_kept(path, NVME, "11.1.3", in_step=False)
    assert not exact_devices.is_kept(path, NVME, "11.1.2", in_step=True)


def test_a_new_entry_takes_the_place_of_its_own_alone(tmp_path):
    path = tmp_path / "rows.json"
    for seen in (SEEN, msgspec.structs.replace(SEEN, in_step=False), msgspec.structs.replace(SEEN, boots=9)):
        exact_devices.keep(path, NVME, seen)
    assert sorted((s.in_step, s.boots) for s in exact_devices.kept(path)["nvme"].seen) == [(False, 2), (True, 9)]
