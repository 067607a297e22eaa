# SPDX-License-Identifier: MIT
"""The page of verdicts seen, out of stored results."""

import importlib.util
from pathlib import Path

import msgspec
import pytest

from bootlab.launch.qemu_command import words
from bootlab.results import file as results_file
from bootlab.results.document import BootSummary, RunDocument
from tests.experiments.test_ladder import MS, TRIALS, trial
from tests.launches import launch

SCRIPT = Path(__file__).parents[1] / "scripts/make-verdicts.py"
SPEC = importlib.util.spec_from_file_location("make_verdicts", SCRIPT)
make_verdicts = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_verdicts)


@pytest.fixture
def results() -> RunDocument:
    base = BootSummary(goal_ns=1000 * MS, artefact_bytes={"kernel": 2_000_000})
    return RunDocument(kind="try", id="1", system_name="board", started="", finished="", base=base, trials=TRIALS)


def run(folder: Path, name: str, found, **fields) -> None:
    place = folder / "runs" / name
    place.mkdir(parents=True)
    results_file.save(msgspec.structs.replace(found, **fields), place / "results.json")


@pytest.fixture
def page(tmp_path: Path, results) -> str:
    board = launch(arch="arm", machine="vexpress-a9", machine_options=("secure=on",))
    results = msgspec.structs.replace(results, base=msgspec.structs.replace(results.base, launch=board))
    run(tmp_path, "1", results, started="2026-01-01")
    run(tmp_path, "2", results, started="2026-01-02", trials=(trial("smp-off", 33, 1_900_000),))
    run(tmp_path, "3", results, started="2026-01-03", mode="free", trials=(trial("quiet", 99, 1_900_000),))
    out = tmp_path / "page.md"
    assert make_verdicts.main([str(tmp_path), str(tmp_path / "nothing.json")], out) == 0
    return out.read_text()


def test_the_latest_run_of_a_variant_counts(page):
    assert "| `smp-off` | board | arm vexpress-a9 | 1 faster | +33.000 | CONFIG\\_X: y -\\> off |" in page


def test_a_broken_system_has_its_reason_and_no_gain(page):
    (row,) = [line for line in page.splitlines() if line.startswith("| `proc-off`")]
    assert "1 broken | \u2014 | panic:" in row
    assert "<b>" not in row


def test_what_no_exact_run_tried_is_named(page):
    assert "`quiet`" in page.split("## Not tried")[1]


@pytest.fixture
def again(tmp_path: Path, results, page):
    """Write the page a second time, out of one other run, and return (before, after)."""
    folder, out = tmp_path / "more", tmp_path / "page.md"

    def write(*trials, system: str = "board", arguments: tuple[str, ...] = ("--keep",)) -> str:
        # As older results have it.
        command = words(launch(emulator="/usr/bin/qemu-system-arm", machine="vexpress-a9"))
        base = msgspec.structs.replace(results.base, command=command)
        run(folder, "1", results, started="2025-01-01", base=base, system_name=system, trials=trials)
        assert make_verdicts.main([*arguments, str(folder)], out) == 0
        return out.read_text()

    return write


def rows(page: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith("| `")]


def test_kept_rows_stay_as_they_are_and_new_ones_join_them(page, again):
    after = again(trial("bug-off", 20, 1_900_000))
    (new,) = set(rows(after)) - set(rows(page))
    assert new.startswith("| `bug-off` | board | arm vexpress-a9 | 1 faster | +20.000 |")
    assert [row for row in rows(after) if row != new] == rows(page)
    assert "`bug-off`" in page.split("## Not tried")[1]
    assert "`bug-off`" not in after.split("## Not tried")[1]


def test_a_result_replaces_the_kept_row_of_its_system(page, again):
    after = again(trial("smp-off", 44, 1_900_000))
    assert len(rows(after)) == len(rows(page))
    assert "| `smp-off` | board | arm vexpress-a9 | 1 faster | +44.000 |" in after
    assert "+33.000" not in after


def test_a_result_of_another_system_replaces_no_row(page, again):
    after = again(trial("smp-off", 44, 1_900_000), system="other | board_2")
    assert set(rows(page)) < set(rows(after))
    assert "| `smp-off` | other \\| board\\_2 | arm vexpress-a9 | 1 faster | +44.000 |" in after


def test_a_row_is_known_again_by_a_name_with_markup(tmp_path, page, again):
    once = again(trial("smp-off", 44, 1_900_000), system="other | board_2")
    assert make_verdicts.main(["--keep", str(tmp_path / "more")], tmp_path / "page.md") == 0
    assert (tmp_path / "page.md").read_text() == once


def test_without_keep_only_the_given_results_count(page, again):
    assert len(rows(again(trial("smp-off", 44, 1_900_000), arguments=()))) == 1


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda text: text.replace("## Not tried on a system yet", "## Rest"), "is not a page of verdicts"),
        (lambda text: text.replace("| `smp-off` |", "| smp-off |"), "a row cannot be read: | smp-off"),
    ],
)
def test_a_page_that_cannot_be_read_is_not_written(tmp_path, page, capsys, damage, complaint):
    out = tmp_path / "page.md"
    out.write_text(damage(page))
    assert make_verdicts.main(["--keep", str(tmp_path)], out) == 2
    assert complaint in capsys.readouterr().err
    assert out.read_text() == damage(page)


def test_a_row_of_a_technique_that_is_gone_is_left_out_and_named(tmp_path, page, capsys):
    out = tmp_path / "page.md"
    out.write_text(page.replace("| `smp-off` |", "| `smp-of` |"))
    assert make_verdicts.main(["--keep", str(tmp_path / "nothing.json")], out) == 0
    assert "no technique smp-of\n" in capsys.readouterr().err
    assert "`smp-of` |" not in out.read_text()


def test_the_page_of_the_documentation_can_be_kept(tmp_path):
    out = tmp_path / "page.md"
    before = make_verdicts.PAGE.read_text()
    out.write_text(before)
    assert make_verdicts.main(["--keep", str(tmp_path / "nothing.json")], out) == 0
    assert rows(out.read_text()) == rows(before)
