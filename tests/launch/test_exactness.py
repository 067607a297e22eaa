# SPDX-License-Identifier: MIT
"""What of a machine does not repeat: by the table of boots, never by a list."""

from __future__ import annotations

import msgspec
import pytest

from bootlab.launch import exactness
from bootlab.launch.exact_devices import DeviceRow, SeenBoots, device_table
from bootlab.model.system import Clockwork, Goal, Kernel, Machine, SystemDescription
from tests.launches import launch

OLD, NEW = "7.2.22 (Debian 1:7.2)", "10.0.2"
SYSTEM = SystemDescription(name="s", kernel=Kernel(image="/k"), goal=Goal(console="x"), machine=Machine())


def seen(qemu: str, *, exact: bool) -> SeenBoots:
    apart = "" if exact else "2 goals in 2 boots"
    return SeenBoots(qemu=qemu, boots=2, loaded=1, exact=exact, apart=apart, date="2026-11-22")


def test_every_row_of_the_table_is_what_boots_showed():
    rows = device_table().rows
    assert len({row.id for row in rows}) == len(rows)
    models = [model for row in rows for model in row.models]
    assert len(set(models)) == len(models), "a model has one row"
    for row in rows:
        assert row.seen, row.id
        for one in row.seen:
            assert one.boots >= 2
            assert one.exact is (one.apart == "")


def test_the_nearest_version_counts():
    row = DeviceRow(
        id="d", models=("d",), machine="m", use="u", seen=(seen("7.2.1", exact=False), seen("10.0.2", exact=True))
    )
    assert row.exact((7, 2)) is False
    assert row.exact((10, 1)) is True
    assert row.exact((9, 0)) is False, "one that was seen to differ is not called exact"
    assert row.exact(()) is False
    assert DeviceRow(id="d", models=(), machine="m", use="u").exact((7, 2)) is None


@pytest.mark.parametrize("version", [OLD, NEW])
def test_inexact_devices_are_named_and_exact_ones_are_not(version):
    for words in (("-drive", "file=/d,if=virtio"), ("-device", "virtio-rng-pci"), ("-device", "virtio-gpu-pci")):
        (said,) = exactness.inexact(launch(*words), version)
        assert "is not exact (QEMU " in said
    for words in (("-nic", "user,model=e1000"), ("-device", "nvdimm,memdev=m"), ("-device", "sdhci-pci")):
        assert exactness.inexact(launch(*words), version) == ()
        assert exactness.untested(launch(*words), version) == ()


def test_a_backend_of_the_host_is_named():
    (said,) = exactness.inexact(launch("-nic", "tap,model=e1000"), OLD)
    assert said.startswith("network backend tap (-nic tap,model=e1000)")


def test_notes_before_the_boot():
    given = launch("-device", "my-card", devices=("nvme",))
    said = exactness.notes(SYSTEM, given, OLD)
    assert [text.partition(" (")[0] for text in said[:1]] == ["nvme is not exact"]
    assert said[1] == ("my-card was never tested in exact mode: --repeat 3 shows whether its boots are equal")
    free = msgspec.structs.replace(SYSTEM, clock=Clockwork(mode="free"))
    assert exactness.notes(free, given, OLD) == ()
    assert exactness.notes(SYSTEM, launch(), OLD) == ()
    assert "times may be 5 us apart" in exactness.notes(SYSTEM, launch(processors=4), NEW)[0]
    shared = msgspec.structs.replace(SYSTEM, clock=Clockwork(processors="shared"))
    assert "sum of what all of them execute" in exactness.notes(shared, launch(processors=4), NEW)[0]


def test_which_qemu_hangs_with_two():
    assert exactness.hangs_with_processors(OLD)
    assert not exactness.hangs_with_processors(NEW)
    assert not exactness.hangs_with_processors("")
