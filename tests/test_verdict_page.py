"""The page of verdicts seen, out of stored results."""

import importlib.util
from pathlib import Path

import msgspec
import pytest

from bootlab.report import results_file
from tests.report.test_ladder import results, trial

SCRIPT = Path(__file__).parents[1] / "scripts/make-verdicts.py"
SPEC = importlib.util.spec_from_file_location("make_verdicts", SCRIPT)
make_verdicts = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_verdicts)
__all__ = ["results"]


def run(folder: Path, name: str, found, **fields) -> None:
    place = folder / "runs" / name
    place.mkdir(parents=True)
    results_file.save(msgspec.structs.replace(found, **fields), place / "results.json")


@pytest.fixture
def page(tmp_path: Path, results) -> str:
    command = ("setpriv", "/usr/bin/qemu-system-arm", "-machine", "vexpress-a9,secure=on", "-smp", "1")
    results = msgspec.structs.replace(results, base=msgspec.structs.replace(results.base, command=command))
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
