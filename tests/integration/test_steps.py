# SPDX-License-Identifier: MIT
"""`bootlab steps` on a Debian kernel: a step of files and one of the catalogue, proved by their boots, made once."""

import msgspec
import pytest

from bootlab.builders.cache import Cache, default_folder
from bootlab.experiments.bench import Bench
from bootlab.experiments.comparison import compare
from bootlab.experiments.steps import Steps
from bootlab.model.steps import Step
from bootlab.model.tree import FileTree
from bootlab.targets.qemu import QemuTarget

pytestmark = pytest.mark.qemu


def test_steps_are_booted_and_proved(small, tmp_path):
    init = small.tree.get("/init")
    louder = msgspec.structs.replace(init, text=f"{init.text.splitlines()[0]}\necho step one\n{init.text}")
    way = (
        Step(name="words", tree=FileTree.of({"/init": louder}), shown="^step one"),
        Step(name="quiet", technique="quiet", shown=r"^process /\S*busybox"),
    )
    system = msgspec.structs.replace(small, steps=way)
    cache = Cache(default_folder())
    with Bench(QemuTarget(cache), tmp_path / "store", cache=cache, jobs=2) as bench:
        found = compare(Steps(), bench, system)
        made = bench.boots_made
        assert compare(Steps(), bench, system) == found
        assert bench.boots_made == made
    assert [row.ok for row in found.rows] == [True] * 3, found.rows
    # That busybox runs is nothing new, whatever the technique proves.
    assert [row.proved for row in found.rows] == [True, True, False], found.rows
    assert "it was there before: process /" in found.rows[2].proof
    assert all(row.values["use_ns"] is not None and row.values["processes"] for row in found.rows)
