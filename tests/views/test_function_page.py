# SPDX-License-Identifier: MIT
"""The page of a function trace: its numbers, and zoom, search, tree and table in headless Chromium."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from rich.console import Console

from bootlab.analysis import call_forest, forest_difference
from bootlab.analysis.call_tree import FunctionTrace
from bootlab.collectors.function_trace import parse
from bootlab.views.functions import calls_data, difference_page, text
from bootlab.views.functions import page as function_page
from bootlab.views.page_parts import page as page_of_parts
from tests.trace.trace_writer import FIRST, names, node, trace

CHROMIUM = Path("/usr/bin/chromium")
FORK, INIT, KTHREAD, WORKER, PROBE, DELAY, EVIL, IRQ = range(FIRST, FIRST + 8)
NAMES = names(
    "ret_from_fork", "kernel_init", "kthread", "worker_thread", "probe", "udelay",
    "</script><img src=x onerror=alert(1)>", "irq"
)  # fmt: skip


def small(scale: int = 1000):
    return parse(
        trace(
            [
                node(FORK, 1, count=3, self_insns=scale),  # 4
                node(INIT, 4, count=1, self_insns=2 * scale),  # 5
                node(KTHREAD, 4, count=2, self_insns=scale),  # 6
                node(WORKER, 6, count=2, self_insns=3 * scale, idle=7 * scale),  # 7
                node(PROBE, 5, count=31, self_insns=10 * scale),  # 8
                node(DELAY, 8, count=78, self_insns=50 * scale),  # 9
                node(EVIL, 7, count=1, self_insns=4 * scale),  # 10
                node(PROBE, 9, count=2, self_insns=scale),  # 11: recursion
                node(IRQ, 2, count=5, self_insns=6 * scale),  # 12
            ],
            insns=78 * scale,
            tasks=[(1, 0, 0, WORKER, 0)],
        ),
        NAMES,
    )


def test_text_and_page_say_which_limits_the_trace_ran_into():
    found = small()
    head = msgspec.structs.replace(found.head, cut_calls=7, dropped_spans=3)
    found = FunctionTrace(head, found.names, found.nodes, found.spans, found.tasks, found.held, found.code)
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(text.summary(found.head, []))
    printed = console.export_text()
    problems = function_page.page_data(found, "small")["problems"]
    assert len(problems) == 2
    assert all(line in printed for line in problems)
    assert problems[1] == "3 spans left out: the trace keeps 1,048,576"


def rows_of(data):
    parent = [i - up for i, up in enumerate(data["up"])]
    return parent, [data["names"][f] for f in data["fn"]]


def total_of(data, side="now"):
    now = data[side]
    return sum(now["own"]) + sum(now["rest"]) + sum(now["restWait"])


def test_every_task_has_its_own_paths_and_the_sum_is_the_trace():
    found = small()
    forest = call_forest.of_trace(found)
    tasks = {forest.name(n): int(forest.total[n]) for n in range(len(forest)) if n and forest.parent[n] == 0}
    assert tasks["init"] == 2 * (2 + 10 + 50 + 1) * 1000
    assert tasks["kernel thread worker_thread"] == 2 * (3 + 4) * 1000
    assert tasks["interrupts"] == 12000
    assert tasks["from ret_from_fork"] == 2 * 2 * 1000
    assert forest.total[0] == 2 * found.head.insns
    assert forest.wait[0] == 7000
    functions = forest.functions()
    assert (functions["probe"].total, functions["probe"].own, functions["probe"].count) == (122000, 22000, 33)
    assert functions["ret_from_fork"].total == 2 * 72 * 1000
    assert functions["worker_thread"].wait == 7000
    assert call_forest.IDLE not in functions


@pytest.mark.parametrize("floor", [0, 9000, 30000, 10**9])
def test_what_is_left_out_stays_in_the_totals(floor: int):
    forest = call_forest.of_trace(small())
    data = calls_data.calls_data(forest, floor=floor)
    assert total_of(data) == forest.total[0] + forest.wait[0]
    parent, _names = rows_of(data)
    assert all(up < i for i, up in enumerate(parent) if i)
    assert data["left"]["paths"] == len(forest) - len(data["fn"])
    assert data["left"]["least"] == floor


def test_more_paths_than_a_page_takes_are_cut_by_weight(monkeypatch):
    monkeypatch.setattr(calls_data, "NODES_LIMIT", 5)
    forest = call_forest.of_trace(small())
    data = calls_data.calls_data(forest)
    assert len(data["fn"]) == 5
    assert total_of(data) == forest.total[0] + forest.wait[0]
    assert data["left"]["least"] > 0


def test_no_name_is_markup():
    page = function_page.render(small(), "<b>x</b>")
    assert page.lower().count("<script") == 2
    assert "<img" not in page
    assert "<b>x" not in page


@pytest.fixture(scope="module")
def browser() -> Iterator:
    if not CHROMIUM.exists():
        pytest.skip("chromium is not installed: scripts/setup-debian.sh test")
    api = pytest.importorskip("playwright.sync_api")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    with api.sync_playwright() as play:
        made = play.chromium.launch(executable_path=str(CHROMIUM), args=flags)
        yield made
        made.close()


@pytest.fixture
def opened(browser, tmp_path: Path):
    trouble: list[str] = []

    def open_(text: str, width: int = 1400):
        file = tmp_path / "trace.html"
        file.write_text(text, encoding="utf-8")
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


def shown(page):
    return page.locator(".flame .tell").inner_text()


@pytest.mark.browser
def test_zoom_search_and_keys(opened):
    page = opened(function_page.render(small(), "demo"))
    box = page.locator(".flame-box")
    # The widest task is the first bar of the second row, init; `probe` stands three rows below it.
    box.click(position={"x": 20, "y": 28})
    assert shown(page).startswith("init 126.000")
    assert "80.77" in shown(page)
    page.get_by_label("Search paths").fill("UDELAY")
    assert page.locator("#calls-0 > .controls .count").inner_text().startswith("1 function, 1 path: 102.000")
    assert "80.95" in page.locator("#calls-0 > .controls .count").inner_text()
    page.get_by_label("Search paths").press("Enter")
    assert shown(page).startswith("udelay 102.000")
    assert page.locator('[role="tree"] mark').first.inner_text() == "udelay"
    box.focus()
    box.press("ArrowUp")
    assert shown(page).startswith("probe 122.000")
    box.press("Enter")
    assert "of what is shown" in shown(page)
    page.get_by_role("button", name="reset").click()
    assert shown(page).startswith("all 156.000")
    page.get_by_role("button", name="with waiting").click()
    assert shown(page).startswith("all 163.000")
    page.get_by_role("button", name="flame", exact=True).click()
    box.click(position={"x": 20, "y": box.bounding_box()["height"] - 12 - 19})
    assert shown(page).startswith("init")


@pytest.mark.browser
def test_a_function_leads_to_its_callers_and_callees(opened):
    page = opened(function_page.render(small(), "demo"))
    page.get_by_label("Filter functions").fill("prob")
    page.locator(".calls-functions tbody button").first.click()
    detail = page.locator(".calls-detail")
    assert "kernel_init\t122.000" in detail.inner_text()
    assert "udelay\t102.000" in detail.inner_text()
    detail.get_by_role("button", name="udelay").first.click()
    assert "Callers of udelay" in detail.inner_text()
    page.get_by_role("region", name="Functions").get_by_role("button", name="count").click()
    tree = page.locator('[role="tree"]')
    tree.locator('[role="treeitem"]').first.focus()
    for key in ("Home", "ArrowRight", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert page.locator('[aria-selected="true"]').count() == 1


@pytest.mark.browser
def test_hostile_names_are_text_and_it_fits(opened):
    for width in (1400, 480):
        page = opened(function_page.render(small(), "demo"), width)
        assert page.locator("img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.get_by_label("Filter functions").fill("onerror")
    assert page.locator(".calls-functions tbody").inner_text().startswith("</script><img")


@pytest.mark.browser
def test_a_hundred_thousand_paths(opened, monkeypatch):
    size = 100_000
    monkeypatch.setattr(calls_data, "NODES_LIMIT", size)
    monkeypatch.setattr(calls_data, "MIN_SHARE", 0)
    rng = np.random.default_rng(1)
    parent = np.array([0, *(int(rng.integers(max(0, i - 300), i)) for i in range(1, size))])
    forest = call_forest.CallForest(
        [f"f{i}" for i in range(500)], parent, rng.integers(0, 500, size), np.ones(size, dtype=np.int64),
        np.full(size, 1000), clock="virtual",
    )  # fmt: skip
    data = function_page.page_data(small(), "big")
    data["parts"][0]["calls"] = calls_data.calls_data(forest)
    page = opened(page_of_parts("big", data))
    page.locator(".flame-box").click(position={"x": 40, "y": 28})
    page.get_by_label("Search paths").fill("f49")
    assert "paths" in page.locator("#calls-0 > .controls .count").inner_text()
    assert page.locator('[role="treeitem"]').count() <= 60


def test_a_difference_has_both_sides_of_each_path():
    before, after = (call_forest.of_trace(small(scale)) for scale in (1000, 1500))
    found = forest_difference.compare(before, after)
    data = calls_data.calls_data(found.after, before=calls_data.weights(found.before), floor=20000)
    assert total_of(data) == after.total[0] + after.wait[0]
    assert total_of(data, "was") == before.total[0] + before.wait[0]
    assert len(data["now"]["own"]) == len(data["was"]["own"]) == len(data["fn"])


@pytest.mark.browser
def test_a_difference_in_the_browser(opened):
    before, after = (call_forest.of_trace(small(scale)) for scale in (1000, 1500))
    page = opened(difference_page.render(forest_difference.compare(before, after), ("old", "<i>new</i>")))
    page.locator(".flame-box").click(position={"x": 20, "y": 28})
    assert shown(page).startswith("init 189.000")
    assert "+63.000\u202fµs against base" in shown(page)
    page.get_by_role("button", name="widths of base").click()
    assert shown(page).startswith("init 126.000")
    assert "+63.000\u202fµs against base" in shown(page)
    assert page.locator(".calls-functions tbody .c-slower").count() == 8
    assert page.locator("i").count() == 0
    page.get_by_label("Filter functions").fill("udelay")
    page.locator(".calls-functions tbody button").first.click()
    assert "probe\t102.000\u202fµs\t+51.000\u202fµs" in page.locator(".calls-detail").inner_text()
