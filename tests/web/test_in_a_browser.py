# SPDX-License-Identifier: MIT
"""The application in headless Chromium: chart, links, chooser, a narrow screen; nothing else is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.views.on_a_phone import WIDTH, beyond
from tests.views.test_report_page import browser as browser  # noqa: PLC0414 - the same fixture
from tests.web.conftest import RECORDINGS, TOKEN, Serve, Served, packed

pytestmark = pytest.mark.browser


class Visitor:
    """A page, and everything on it that must not happen."""

    def __init__(self, browser, server: Served) -> None:
        self.page = browser.new_page(viewport={"width": 1200, "height": 900})
        # A loaded machine is slow, and that is no failure.
        self.page.set_default_timeout(300_000)
        self.trouble: list[str] = []
        self.page.on("console", lambda m: self.trouble.append(f"console: {m.text}"))
        self.page.on("pageerror", lambda e: self.trouble.append(f"error: {e}"))
        self.page.on("dialog", lambda d: (self.trouble.append(f"dialog: {d.message}"), d.dismiss()))
        self.page.on("request", lambda r: r.url.startswith(server.url) or self.trouble.append(f"request: {r.url}"))
        self.server = server

    def go(self, path: str = "") -> None:
        self.page.goto(self.server.url + path)


@pytest.fixture
def visitor(browser, serve: Serve, filled: str) -> Iterator[Visitor]:
    server = serve(filled, token=TOKEN)
    assert server.post(packed(RECORDINGS[0]), Authorization=f"Bearer {TOKEN}")[0] == 201
    made = Visitor(browser, server)
    yield made
    made.page.close()
    assert made.trouble == []


def test_from_the_list_to_a_comparison(visitor: Visitor) -> None:
    page = visitor.page
    visitor.go()
    page.get_by_role("link", name="demo", exact=True).click()
    page.wait_for_selector(".trend circle")
    assert page.locator("#part-0 .trend circle").count() == 24
    assert page.locator("#part-0 .trend .turn").count() == 1
    assert page.locator("#part-0 .trend .turn-text").text_content() == "+60.000"
    assert page.locator("#part-0 .trend .level").count() == 2
    page.locator("select[name=a]").select_option("rev:r2")
    page.locator("select[name=b]").select_option("rev:r23")
    page.get_by_role("button", name="compare").click()
    page.wait_for_url("**/compare?**")
    page.wait_for_selector("table")
    assert "+60.000" in page.locator(".headline").inner_text()
    # One exact boot of each side carries no verdict.
    assert page.locator(".verdict.v-unknown").count() >= 1
    page.get_by_role("link", name="demo", exact=True).click()
    page.wait_for_url("**/system?name=demo")


def test_a_boots_own_pages(visitor: Visitor) -> None:
    page = visitor.page
    visitor.go("system?name=board")
    page.locator("#table-2 a, #part-3 a").first.click()
    page.wait_for_url("**/boot?id=*")
    page.get_by_role("link", name="Report of this boot").click()
    page.wait_for_url("**/report?boot=*")
    assert page.locator("#stages, #console").count() == 2
    page.go_back()
    page.get_by_role("link", name="Its console, analysed").click()
    page.wait_for_url("**/log?boot=*")
    page.wait_for_selector("#part-0")
    assert page.locator("h1").inner_text() == "board at v1"


@pytest.mark.parametrize("width", [1200, WIDTH])
def test_every_page_fits_the_screen(visitor: Visitor, width: int, tmp_path: Path) -> None:
    visitor.page.set_viewport_size({"width": width, "height": 900})
    for path in ("", "system?name=demo", "system?name=%3C%2Fscript%3E%3Cb%3E%26%E2%80%AE", "boot?id=1",
                 "compare?system=demo&a=rev:r2&b=rev:r23", "step?name=demo&quantity=total&boot=12"):  # fmt: skip
        visitor.go(path)
        visitor.page.wait_for_selector("table")
        assert visitor.page.evaluate("document.documentElement.scrollWidth") == width, path
        if width == WIDTH:
            assert beyond(visitor.page) == [], path
