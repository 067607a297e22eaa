# SPDX-License-Identifier: MIT
"""How a system is now, as the first page tells it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bootlab.errors import UserError
from bootlab.history import budget
from bootlab.history.now import SystemNow
from bootlab.history.trend import Point
from bootlab.views.history import index_page
from bootlab.views.history.addresses import Addresses
from bootlab.views.history.text import dated_bars
from tests.history.boots import entry

TO = Addresses(
    system=lambda name: f"system?name={name}",
    boot=lambda number: f"boot?id={number}",
    run=lambda name: name,
    compare=lambda system, a, b: f"{system}{a}{b}",
    board=lambda name: f"board?name={name}",
    step=lambda system, quantity, boot: f"step?name={system}&quantity={quantity}&boot={boot}",
)


def boots(*totals_ms: float | None):
    made = (entry(total, number=number, revision=f"v{number}") for number, total in enumerate(totals_ms))
    return [msgspec.structs.replace(one, id=number + 1) for number, one in enumerate(made)]


STEP = (100, None, *(100 + n / 10 for n in range(11)), *(120 + n / 10 for n in range(12)))


def test_the_last_change_of_level_and_the_last_failure():
    now = SystemNow.of("camera", 900, boots(*STEP))
    assert now.whole is not None
    assert [change.to_revision for change in now.whole.changes] == ["v13"]
    assert (now.failed is not None, now.broken) == (True, False)
    assert SystemNow.of("camera", 2, boots(100, None)).broken
    assert SystemNow.of("camera", 1, boots(None)).whole is None
    assert SystemNow.of("camera", 0, []).newest is None


def test_the_page_tells_it_and_links_the_boots():
    now = SystemNow.of("camera", 900, boots(*STEP))
    page = index_page.render([("camera", 900), ("door", 3)], [now], [], [], 0, TO)
    for said in ("slower +", "at v13", "boot?id=25", "hang, ", "boot?id=2", "door", "system?name=door"):
        assert said in page, said
    empty = index_page.render([("none", 1)], [SystemNow.of("none", 1, [])], [], [], 0, TO)
    assert "system?name=none" in empty


def budgets(text: str, tmp_path: Path):
    file = tmp_path / "budgets.toml"
    file.write_text(text, encoding="utf-8")
    return budget.of_systems(file)


def test_budgets_are_judged_by_the_boots_since_the_last_change(tmp_path):
    limits = budgets('[camera]\ntotal = "110 ms"\n[door]\ntotal = "1s"\nuser = "1s"\n', tmp_path)
    slower = SystemNow.of("camera", 900, boots(*STEP), limits["camera"])
    assert slower.kept == "broken"
    # Before the change it was kept.
    assert SystemNow.of("camera", 900, boots(*STEP[:13]), limits["camera"]).kept == "kept"
    assert SystemNow.of("camera", 2, boots(100, 101), limits["camera"]).kept == "unknown", "two noisy boots do not tell"
    assert SystemNow.of("door", 900, boots(*STEP), limits["door"]).kept == "unknown", "it has no such stage"
    assert SystemNow.of("camera", 900, boots(*STEP)).kept == ""
    page = index_page.render([("camera", 900)], [slower], [], [], 0, TO)
    assert '["broken: total over 110 ms","broken",null,"slower"]' in page


def test_a_newest_boot_that_failed_keeps_no_budget(tmp_path):
    limits = budgets('[camera]\ntotal = "110 ms"\n', tmp_path)
    now = SystemNow.of("camera", 14, boots(*STEP[2:13], None), limits["camera"])
    assert now.kept == "unknown"
    page = index_page.render([("camera", 14)], [now], [], [], 0, TO)
    assert '["unknown: the newest boot failed","unknown",null,"unknown"]' in page


@pytest.mark.parametrize(("text", "said"), [
    ("[camera", "cannot be read"),
    ('camera = "3s"', "camera is not the table"),
    ('[camera]\ntotal = "+2%"', "in percent needs a base"),
    ("[camera]\ntotal = 3", "neither a time"),
])  # fmt: skip
def test_a_file_of_budgets_that_is_none_is_said(tmp_path, text, said):
    with pytest.raises(UserError, match=said):
        budgets(text, tmp_path)


def test_who_changed_it_last_with_a_link():
    made = boots(*STEP)
    facts = {"author": "Ada", "subject": "Wait for the sensor"}
    told = [
        msgspec.structs.replace(one, times=msgspec.structs.replace(one.times, facts=facts))
        if one.revision == "v13"
        else one
        for one in made
    ]
    now = SystemNow.of("camera", 25, told)
    assert now.whole is not None
    (change,) = now.whole.changes
    assert (change.author, change.subject, change.facts) == ("Ada", "Wait for the sensor", ())
    to = msgspec.structs.replace(TO, commit=lambda revision: f"https://forge.example/{revision}")
    page = index_page.render([("camera", 25)], [now], [], [], 0, to)
    assert " at v13: Wait for the sensor (Ada)" in page
    assert "step?name=camera" in page, "the step's page has the commit"
    now = msgspec.structs.replace(now, whole=msgspec.structs.replace(now.whole, changes=(_unnumbered(change),)))
    assert "https://forge.example/v13" in index_page.render([("camera", 25)], [now], [], [], 0, to)
    assert "forge.example" not in index_page.render([("camera", 25)], [now], [], [], 0, TO)


def _unnumbered(change):
    """Return a change of boots that are kept in no history."""
    return msgspec.structs.replace(change, boot=None)


def test_the_trend_is_spaced_by_date():
    def points(*made: tuple[str, int]) -> list[Point]:
        return [Point("r", "", at, ns) for at, ns in made]

    days = points(*((f"2026-01-{day:02}T00:00:00+00:00", ns) for day, ns in ((1, 5), (2, 5), (3, 9), (13, 1))))
    assert dated_bars(days, 4) == "█\u2007\u2007▁", "the median of three boots, a gap of days, the newest"
    assert dated_bars(points(("", 1), ("", 9)), 4) == "▁█", "without dates side by side"
    assert dated_bars(days[:1], 4) == "▁"
