# SPDX-License-Identifier: MIT
"""The HTML page of an analysis, in headless Chromium too, with a hostile log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bootlab.logs import analyze
from bootlab.views.log import page as analysis_html
from tests.logs import samples

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync")  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator:
    if not CHROMIUM.exists():
        pytest.skip("chromium is not installed: scripts/setup-debian.sh test")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as play:
        made = play.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield made
        made.close()


@pytest.fixture
def opened(browser, tmp_path: Path):
    """Open the page of a log; whatever it must not do is trouble."""
    trouble: list[str] = []

    def open_(data: bytes, width: int = 1400):
        file = tmp_path / "analysis.html"
        file.write_text(analysis_html.render(analyze(data, name="sample.log", export=True)), encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.on("console", lambda m: trouble.append(f"console: {m.text}"))
        page.on("pageerror", lambda e: trouble.append(f"error: {e}"))
        page.on("dialog", lambda d: (trouble.append(f"dialog: {d.message}"), d.dismiss()))
        page.on("request", lambda r: r.url == file.as_uri() or trouble.append(f"request: {r.url}"))
        page.goto(file.as_uri())
        return page

    yield open_
    for context in browser.contexts:
        context.close()
    assert trouble == []


def test_no_text_of_a_log_is_markup():
    page = analysis_html.render(analyze(samples.hostile()))
    assert page.lower().count("<script") == 2
    assert page.lower().count("</script") == 2
    assert "<img" not in page


@pytest.mark.browser
def test_a_boot_has_its_plot_costs_and_tables(opened):
    page = opened(samples.BOOT.encode())
    assert "6.6.0" in page.locator("#part-0 h2").inner_text()
    assert page.locator("#plot-0 svg.plot rect.span").count() > 5
    captions = page.locator("#part-0 caption").all_inner_texts()
    assert {"Stages", "Initcalls by their stamps", "Deferred probes"} <= set(captions)
    page.locator("#plot-0 .search").fill("slow_init")
    assert page.locator("#plot-0 .count").inner_text().endswith("of 13 match")
    before = page.locator("#plot-0 svg.plot .tick-text").all_inner_texts()
    page.get_by_label("zoom in").first.click()
    assert page.locator("#plot-0 svg.plot .tick-text").all_inner_texts() != before


@pytest.mark.browser
def test_it_begins_with_the_answer_and_colours_the_stages(opened):
    page = opened(samples.BOOT.encode())
    figures = page.locator("header .headline .figure").all_inner_texts()
    names = page.locator("header .headline .figure-name").all_inner_texts()
    bars = page.locator("#part-0 .bars .segment")
    # The first figure is the sum of the bar's stages, which the legend gives one by one.
    lengths = [float(text.split()[-2]) for text in page.locator("#part-0 .legend li").all_inner_texts()]
    # What came before the first line is not known, so the sum is a lower bound.
    assert figures[0].startswith("≥ ")
    whole = float(figures[0].removeprefix("≥ ").split("ms")[0].replace("\u202f", ""))
    assert whole == pytest.approx(sum(lengths), abs=0.002)
    assert " to " in names[0]
    assert bars.count() == len(lengths) > 0
    assert all("stage-other" not in text for text in bars.evaluate_all("all => all.map(e => e.className)"))


@pytest.mark.browser
def test_long_tables_show_their_first_rows_and_more_on_demand(opened):
    calls = "".join(
        f"[    1.{n:06}] calling  call_{n}+0x0/0x10 @ 1\n"
        f"[    1.{n:06}] initcall call_{n}+0x0/0x10 returned 0 after 1 usecs\n"
        for n in range(1, 60)
    )
    page = opened((samples.BOOT + calls).encode())
    table = page.locator("#part-0 .made", has=page.get_by_role("heading", name="Initcalls by their stamps"))
    assert table.locator("tbody:visible").count() == 15
    table.locator(".more").click()
    assert table.locator("tbody:visible").count() > 59
    table.locator(".search").fill("call_59")
    assert table.locator("tbody:visible").count() == 1


@pytest.mark.browser
@pytest.mark.parametrize("data", [samples.TRACE.encode(), b"nothing of a boot\n", samples.BOOT.encode()])
def test_it_fits_the_screen(opened, data: bytes):
    for width in (1400, 480, 390):
        page = opened(data, width)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("#account").count() == 1


@pytest.mark.browser
def test_hostile_text_runs_nothing(opened):
    page = opened(samples.hostile())
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert "<img src=x onerror=alert(1)>" in page.locator("#part-0").inner_text()


@pytest.mark.browser
def test_a_function_trace_has_a_flame_graph(opened):
    page = opened(samples.TRACE.encode())
    assert page.locator(".flame-canvas").count() == 1
    page.locator(".flame-box").click(position={"x": 20, "y": 28})
    assert page.locator(".flame .tell").inner_text().startswith("all tasks")
    assert page.locator(".calls-functions tbody tr").count() > 0
