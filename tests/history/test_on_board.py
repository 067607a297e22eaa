# SPDX-License-Identifier: MIT
"""`bootlab compare --costs`: kept exact boots by the time of a board, beside the exact one."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from bootlab.api.history import gate, measured
from bootlab.cli.__main__ import app
from bootlab.errors import UserError
from bootlab.history.gate import BOARD, GateAnswer
from bootlab.model.recording import Mark, Meta, Outcome
from bootlab.model.verdict import Verdict
from bootlab.recordings import recording_dir
from bootlab.views.gate import junit, kcidb, markdown, page
from bootlab.views.gate.text import gate_view
from tests.rendered import to_text

MS = 1_000_000


@pytest.fixture
def kept(tmp_path):
    def made(name, goals_ms, image_mb, *, mode="exact", characters=0):
        for number, goal_ms in enumerate(goals_ms):
            folder = tmp_path / name / f"boot-{number}"
            folder.mkdir(parents=True)
            meta = Meta(
                key=f"{name}{number}".ljust(32, "k"),
                system_name="camera",
                mode=mode,
                goal_clock="virtual" if mode == "exact" else "wall",
                outcome=Outcome.GOAL,
                goal_ns=round(goal_ms * MS),
                artefact_bytes={"kernel": round(image_mb * MS)},
                console_bytes=characters,
            )
            recording_dir.save(folder, meta, (Mark("power-on", 0), Mark("goal", meta.goal_ns)), b"ready\n", None)
        return str(tmp_path / name)

    return made


SEVERAL = 5


def found(base, new, costs):
    return gate(measured(new), measured(base), costs=costs)


@pytest.mark.parametrize(
    ("costs", "verdict"),
    [
        ("card-1MB,no-console", Verdict.SLOWER),
        ("card-100MB,no-console", Verdict.FASTER),
        ("sd-hs,no-console", Verdict.DEPENDS),
    ],
)
def test_a_larger_image_that_boots_earlier_pays_on_a_fast_medium(kept, costs, verdict):
    base = kept("base", [2000 + k / 100 for k in range(SEVERAL)], 2)
    new = kept("new", [1600 + k / 100 for k in range(SEVERAL)], 9)
    result = found(base, new, costs)
    assert result.total.judged.verdict is Verdict.FASTER, "the exact column stays exact"
    assert result.board.row.judged.verdict is verdict
    (point,) = (one for one in result.board.turns if one.of == "medium")
    # 7 MB more for 400 ms less; with a medium's requests somewhat more.
    assert point.faster == "above"
    assert 17.49 * MS < point.at.low <= point.at.high < 18.5 * MS


def test_one_boot_of_each_is_enough_to_see_that_it_depends(kept):
    result = found(kept("base", [2000], 2), kept("new", [1600], 9), "sd-hs,no-console")
    assert result.total.judged.verdict is Verdict.UNKNOWN
    assert result.board.row.judged.verdict is Verdict.DEPENDS


def test_both_columns_and_the_rate_are_shown(kept):
    base, new = kept("base", [2000], 2), kept("new", [1600], 9)
    shown = CliRunner().invoke(app, ["compare", base, new, "--costs", "sd-hs,no-console"])
    assert shown.exit_code == 0, shown.output
    text = " ".join(shown.output.split())
    assert "whole boot, on the board" in text
    assert "depends on the board" in text
    assert "wins above" in text
    document = json.loads(CliRunner().invoke(app, ["compare", base, new, "--costs", "sd-hs", "--json"]).output)
    sides = document["gate"]["board"]["row"]["modelled"]
    assert sides["saved_ns"]["low"] < 0 < sides["saved_ns"]["high"]


def test_both_sides_have_both_ends_in_every_report(kept):
    result = found(kept("base", [2000], 2), kept("new", [1600], 9), "sd-card-20MB,no-console")
    sides = result.board.row.modelled
    # 2 MB and 9 MB at 20 MB/s take 100 and 450 ms, 0.973 to 1.027 times.
    assert (sides.base_ns.low, sides.base_ns.high) == pytest.approx((2097.3 * MS, 2102.7 * MS))
    assert (sides.new_ns.low, sides.new_ns.high) == pytest.approx((2037.85 * MS, 2062.15 * MS))
    assert (sides.saved_ns.low, sides.saved_ns.high) == pytest.approx((40.55 * MS, 59.45 * MS))
    row = "whole boot, on the board | 2097.3 to 2102.7 | 2038 to 2062 | \u221259 to \u221241 | unknown"
    assert row in re.sub(r" *\| *", " | ", markdown.render(result))
    shown = " ".join(to_text(gate_view(result), width=160).split())
    assert "2097.3 to 2102.7 2038 to 2062 \u221259 to \u221241 unknown" in shown
    case = next(case for case in ET.fromstring(junit.render(result)).iter("testcase") if case.get("name") == BOARD)
    assert case.get("time") == "2.062150"
    assert case.findtext("system-out") == "unknown; modelled: 2038 to 2062 ms, the base 2097.3 to 2102.7 ms"
    tests = kcidb.report(result, origin="ci", revision="r", at="2026-01-01T00:00:00Z", unique="1")["tests"]
    numbers = {test["path"]: test["number"]["value"] for test in tests if "board" in test["path"]}
    assert numbers == pytest.approx({"boot.board_at_least": 2.03785, "boot.board_at_most": 2.06215})
    assert "2\u202f038 to 2\u202f062" in page.render(result)


def test_the_board_is_no_stage_that_grew_most(kept):
    base = kept("base", [2000 + k / 100 for k in range(SEVERAL)], 2)
    new = kept("new", [1600 + k / 100 for k in range(SEVERAL)], 9)
    result = found(base, new, "card-1MB,no-console")
    assert result.answer is GateAnswer.FAILED
    assert BOARD not in {stage.name for stage in result.stages}
    assert "grew most" not in markdown.render(result)


@pytest.mark.parametrize(
    ("mode", "costs", "said"),
    [
        ("free", "sd-hs", "recordings of exact boots"),
        ("exact", "cortex-a53@1GHz", "nothing is booted here"),
        ("exact", "floppy", "not known of a board"),
    ],
)
def test_what_cannot_be_counted_is_refused(kept, mode, costs, said):
    base, new = kept("base", [2000], 2, mode=mode), kept("new", [1600], 9, mode=mode)
    with pytest.raises(UserError, match=said):
        found(base, new, costs)
