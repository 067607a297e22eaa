# SPDX-License-Identifier: MIT
"""A comparison that only the how-to page knows: every way in and out of a run takes it."""

from __future__ import annotations

import csv
import json
import re

import msgspec
import pytest
from typer.testing import CliRunner

import bootlab
from bootlab.cli import __main__ as program
from bootlab.errors import TargetError, UserError
from bootlab.experiments.bench import SilentObserver
from bootlab.model.comparison import Column
from bootlab.model.system import Clockwork
from tests.conftest import REPLAYED, REPOSITORY

PAGE = REPOSITORY / "docs" / "how-to" / "add-a-comparison.md"
WORDS = ("quiet", "cryptomgr.notests", "no_timer_check")


class Counted(SilentObserver):
    """Counts boots that were made, not taken from the store."""

    def __init__(self):
        self.made = 0

    def boot_ended(self, label, recording, *, reused):
        self.made += not reused


@pytest.fixture(scope="module")
def parameters():
    """Return the class that the page defines."""
    block = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1]
    room: dict[str, object] = {"__name__": "mine"}
    exec(compile(block, str(PAGE), "exec"), room)
    assert len(block.splitlines()) < 80
    return room["Parameters"]


@pytest.fixture
def counted():
    return Counted()


@pytest.fixture
def system(tmp_path, counted):
    return bootlab.System.load(REPLAYED, store=tmp_path / "store", observer=counted)


def report(tmp_path, *options):
    done = CliRunner().invoke(program.app, ["report", "last", "--store", str(tmp_path / "store"), *map(str, options)])
    assert done.exit_code == 0, done.output
    return done.output


def test_it_runs_and_is_a_run_like_any_other(system, parameters, tmp_path):
    results = system.compare(parameters(*WORDS, "console=tty0"))
    found = results.comparison
    assert [row.id for row in found.rows] == list(WORDS)
    assert all(row.ok and row.values["saved_ns"] > 0 for row in found.rows)
    quiet = found.rows[0].values
    assert quiet["lines"] < found.rows[1].values["lines"] / 2
    assert [(row.title, row.reason) for row in found.left_out] == [("console=tty0", "the system sets console already")]
    best = max(row.values["saved_ns"] for row in found.rows)
    assert found.headline == f"cryptomgr.notests saves {best / 1e6:.3f} ms"
    again = bootlab.Results.open("last", store=tmp_path / "store")
    assert again.comparison == found


def test_four_writers_draw_it(system, parameters, tmp_path):
    found = system.compare(parameters(*WORDS)).comparison
    shown = report(tmp_path)
    files = {name: tmp_path / f"out.{name}" for name in ("html", "markdown", "csv")}
    report(tmp_path, *(word for name, path in files.items() for word in (f"--{name}", path)))
    texts = {"terminal": shown, **{name: path.read_text(encoding="utf-8") for name, path in files.items()}}
    # Markdown escapes what it would read as its own marks.
    texts["markdown"] = texts["markdown"].replace("\\", "")
    for name, text in texts.items():
        for word in WORDS:
            assert word in text, name
    for name in ("terminal", "html", "markdown"):
        assert found.headline in texts[name], name
    rows = list(csv.DictReader(texts["csv"].splitlines()))
    assert [int(row["saved_ns"]) for row in rows] == [row.values["saved_ns"] for row in found.rows]
    document = json.loads(report(tmp_path, "--json"))
    assert found.headline in json.dumps(document)


def test_a_second_run_boots_nothing(system, parameters, counted):
    first = system.compare(parameters(*WORDS))
    made = counted.made
    assert made == 5, "the base twice, to see that it repeats, and three variants"
    assert system.compare(parameters(*WORDS)).comparison == first.comparison
    assert counted.made == made


def test_a_run_that_is_cut_off_keeps_its_rows_and_goes_on(system, parameters, counted, tmp_path):
    class CutOff(parameters):
        def rows(self, bench, system):
            for number, row in enumerate(super().rows(bench, system), start=1):
                yield row
                if number == 2:
                    raise TargetError("the power went away")

    with pytest.raises(TargetError):
        system.compare(CutOff(*WORDS))
    kept = bootlab.Results.open("last", store=tmp_path / "store").comparison
    assert [row.id for row in kept.rows] == list(WORDS[:2])
    assert kept.headline
    made = counted.made
    whole = system.compare(parameters(*WORDS)).comparison
    assert whole.rows[:2] == kept.rows
    assert counted.made <= made + 1


def test_it_refuses_the_hosts_clock(system, parameters):
    free = system.like(msgspec.structs.replace(system.value, clock=Clockwork(mode="free")))
    with pytest.raises(UserError, match="one boot per row"):
        free.compare(parameters("quiet"))


def test_a_column_of_another_kind_needs_no_writer(system, parameters, tmp_path):
    class Louder(parameters):
        kind = "louder"
        columns = (*parameters.columns, Column(key="proof", title="command line of the boot"))

    system.compare(Louder("quiet"))
    assert "command line of the boot" in report(tmp_path)
