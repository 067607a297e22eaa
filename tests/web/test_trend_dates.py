# SPDX-License-Identifier: MIT
"""A chart of boots over weeks: spaced by date, or a step a boot."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bootlab.history.entry import HistoryEntry
from bootlab.history.trend import Point, trends
from bootlab.views.history import page
from tests.history.boots import entry
from tests.views.test_report_page import browser as browser  # noqa: PLC0414 - the same fixture

DAYS = (1, 1, 2, 3, 4, 5, 6, 28, 28, 29, 30, 31)


def boots() -> list[HistoryEntry]:
    """Return boots of a week, then none for three weeks, then slower ones."""
    made = []
    for place, day in enumerate(DAYS):
        at = f"2026-01-{day:02}T{6 + place:02}:00:00.000000+00:00"
        boot = entry(3000 if day < 20 else 3060, number=place, revision=f"r{place}")
        made.append(msgspec.structs.replace(boot, times=msgspec.structs.replace(boot.times, at=at)))
    return made


def test_a_point_says_when_it_was() -> None:
    assert Point(revision="r", variant="", at="1970-01-02T00:00:00+00:00", ns=1).seconds == 86400
    assert Point(revision="r", variant="", at="yesterday", ns=1).seconds is None


@pytest.mark.browser
def test_the_distance_is_time_and_can_be_steps(browser, tmp_path: Path) -> None:
    written = tmp_path / "history.html"
    written.write_text(page.render_system("camera", boots(), trends(boots())), encoding="utf-8")
    shown = browser.new_page(viewport={"width": 1200, "height": 900})
    shown.goto(written.as_uri())
    figure = shown.locator("#part-0 figure").first
    figure.locator("circle").first.wait_for()

    def places() -> list[float]:
        return [float(one.get_attribute("cx")) for one in figure.locator("circle").all()]

    dated = places()
    assert dated == sorted(dated)
    assert dated[7] - dated[6] > 10 * (dated[6] - dated[5])
    assert "2026-01-" in figure.locator(".axis-text").last.text_content()
    turn = figure.get_by_role("button", name="spaced by date")
    turn.click()
    assert turn.get_attribute("aria-pressed") == "false"
    stepped = places()
    assert stepped[7] - stepped[6] == pytest.approx(stepped[1] - stepped[0])
    assert figure.locator(".axis-text").last.text_content().startswith("r")
    shown.screenshot(path=str(tmp_path / "steps.png"))
    shown.close()
