# SPDX-License-Identifier: MIT
"""Every kind of page on a phone, and its colours in the light and in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from bootlab.logs import analyze
from bootlab.timers import page as timers_page
from bootlab.timers import stress
from bootlab.timers.stress import StressPlace
from bootlab.views.functions import page as function_page
from bootlab.views.log import page as analysis_page
from bootlab.views.run import page as run_page
from bootlab.views.table import page as comparison_page
from tests.conftest import REPOSITORY
from tests.logs import samples
from tests.timers.samples import HEAD, ROW, output
from tests.views import report_sample as sample
from tests.views.on_a_phone import WIDTH, beyond, too_faint
from tests.views.test_function_page import small
from tests.views.test_optimized_text import results as optimized
from tests.views.test_report_page import browser as browser  # noqa: PLC0414 - the same fixture
from tests.views.test_table import FOUND

GOLDEN = REPOSITORY / "crates" / "boottrace" / "tests" / "golden"
LONG = samples.BOOT.replace("slow_init", "drivers_platform_with_a_name_that_never_ends_" * 3).replace(
    "6.6.0", "6.6.0-" + "board_of_a_maker_with_a_long_name" * 3
)


def _analysis(data: bytes) -> str:
    return analysis_page.render(
        analyze(data, name="/var/log/a-very-long-folder-name-of-somebody/boot.log", export=True)
    )


def _stressed() -> stress.StressResult:
    result = stress.parse(output(HEAD, ROW), StressPlace(name="here", clock="wall"))
    assert result is not None
    return result


PAGES = {
    "boot": lambda: run_page.render(sample.results("boot")),
    "try": lambda: run_page.render(sample.results("try"), {"b45e": sample.recording()}),
    "stack": lambda: run_page.render(sample.results(), {"b45e": sample.recording()}),
    "optimize": lambda: run_page.render(optimized()),
    "comparison": lambda: comparison_page.page(FOUND),
    "trace": lambda: function_page.render(small(), "demo"),
    "timers": lambda: timers_page.render(_stressed()),
    "log": lambda: _analysis(samples.BOOT.encode()),
    "log with long names": lambda: _analysis(LONG.encode()),
    "function_graph": lambda: _analysis(samples.TRACE.encode()),
    "two boots": lambda: _analysis((GOLDEN / "serial" / "spl-tfa-uboot-two-boots.log").read_bytes()),
    "units": lambda: _analysis((GOLDEN / "systemd" / "plot.svg").read_bytes()),
}


@pytest.fixture(params=PAGES)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / "page.html"
    made.write_text(PAGES[request.param](), encoding="utf-8", errors="replace")
    return made


@pytest.mark.browser
def test_nothing_is_cut_on_a_phone(browser, file: Path):
    page = browser.new_page(viewport={"width": WIDTH, "height": 844})
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    assert beyond(page) == []
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(browser, file: Path, scheme: str):
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    page.goto(file.as_uri())
    assert too_faint(page) == []
    page.close()


@pytest.mark.browser
def test_a_figure_on_a_card_has_its_name(browser, tmp_path: Path):
    """The first column of silences is a time, and the texts before and after look alike."""
    made = tmp_path / "page.html"
    made.write_text(_analysis(samples.BOOT.encode()), encoding="utf-8")
    page = browser.new_page(viewport={"width": WIDTH, "height": 844})
    page.goto(made.as_uri())
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('.figures tbody th.n, .figures tbody td.n')]
            .filter((cell) => cell.checkVisibility() && cell.textContent.trim() && !cell.dataset.label)
            .map((cell) => cell.textContent)"""
    )
    assert unnamed == []
    page.close()
