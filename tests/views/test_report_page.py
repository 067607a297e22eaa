# SPDX-License-Identifier: MIT
"""The HTML page: what headless Chromium makes of it."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bootlab.model.comparison import Comparison
from bootlab.model.recording import Outcome
from bootlab.model.verdict import Steady, Verdict
from bootlab.views.run import page as html
from bootlab.views.run import tables
from bootlab.views.run.page_data import LINES_LIMIT
from bootlab.views.table import cells
from bootlab.views.table import page as comparison_page
from tests.views import report_sample as sample
from tests.views.test_optimized_text import results as optimized
from tests.views.test_table import FOUND

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


class Watched:
    """A page and everything that it must not do."""

    def __init__(self, browser, folder: Path):
        self.browser, self.folder, self.trouble = browser, folder, []

    def open(self, results, recordings=None, **options):
        file = self.folder / "report.html"
        if isinstance(results, Comparison):
            file.write_text(comparison_page.page(results), encoding="utf-8")
        else:
            file.write_text(html.render(results, recordings), encoding="utf-8", errors="replace")
        page = self.browser.new_page(**{"viewport": {"width": 1400, "height": 900}, **options})
        page.on("console", lambda m: self.trouble.append(f"console: {m.text}"))
        page.on("pageerror", lambda e: self.trouble.append(f"error: {e}"))
        page.on("dialog", lambda d: (self.trouble.append(f"dialog: {d.message}"), d.dismiss()))
        page.on("request", lambda r: r.url == file.as_uri() or self.trouble.append(f"request: {r.url}"))
        page.goto(file.as_uri())
        return page


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
def watched(browser, tmp_path: Path) -> Iterator[Watched]:
    made = Watched(browser, tmp_path)
    yield made
    for context in browser.contexts:
        context.close()
    assert made.trouble == []


@pytest.mark.browser
@pytest.mark.parametrize(
    ("kind", "sections"),
    [
        ("boot", ["stages", "timeline", "console", "modelled", "limits", "reproduce"]),
        ("try", ["stages", "trials", "timeline", "console", "techniques", "modelled", "limits", "reproduce"]),
        ("stack", ["stages", "stack", "system", "trials", "timeline", "console", "techniques", "modelled", "limits",
                   "reproduce"]),
    ],
)  # fmt: skip
def test_every_kind_has_its_sections_and_fits_the_screen(watched: Watched, kind: str, sections: list[str]):
    for width in (1400, 480):
        page = watched.open(
            sample.results(kind), {"b45e": sample.recording()}, viewport={"width": width, "height": 900}
        )
        assert page.locator("section").evaluate_all("all => all.map(s => s.id)") == sections
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.browser
def test_the_headline_says_from_and_to(watched: Watched):
    page = watched.open(sample.results())
    text = page.locator(".headline").inner_text().replace("\u202f", " ")
    assert "1 192.541" in text
    assert "369.011" in text
    assert "3.2 times as fast" in text
    assert "\u221269.1 %; 823.530 ms saved by 10 changes" in text
    assert "of the base" not in text
    assert page.locator(".headline .beside").inner_text().startswith("a board would add (modelled, not in these times)")
    assert page.locator("#stages .segment").count() == 8 + 7


@pytest.mark.browser
def test_hostile_text_runs_nothing(watched: Watched):
    results, recording = sample.hostile()
    page = watched.open(results, {"b45e": recording})
    for fold in page.locator(".fold").all():
        fold.click()
    page.locator("#console .search").fill("<img")
    assert page.locator("#console tbody tr:visible").count() == 1
    assert page.locator("#console mark").inner_text() == "<img"
    page.locator("#plot-diagnostic .search").fill("script")
    assert page.locator("#plot-diagnostic .count").inner_text() == "3 of 11 match"
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("a:not([href^='#'])").count() == 0
    # Even markup that got in could not run: the policy has no place for it.
    assert page.evaluate("""() => {
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        return window.ran === undefined;
    }""")
    refused = [t for t in watched.trouble if "Content Security Policy" in t]
    assert len(refused) == 1
    watched.trouble.remove(refused[0])


@pytest.mark.browser
def test_what_was_not_booted_is_folded_away(watched: Watched):
    page = watched.open(sample.results())
    assert "deferred-probe-timeout" not in page.locator("#trials").inner_text()
    fold = page.locator("#trials > details.folded")
    assert fold.locator("summary").inner_text() == "1 change that was not booted"
    fold.locator("summary").click()
    assert "deferred-probe-timeout" in page.locator("#trials").inner_text()
    assert page.locator("#techniques > details.folded").get_attribute("open") is None


@pytest.mark.browser
def test_no_figure_is_cut_at_390_pixels(watched: Watched):
    page = watched.open(sample.results(), viewport={"width": 390, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    cut = page.locator("main .figures td.n:visible, .headline p").evaluate_all(
        "all => all.filter(e => e.getBoundingClientRect().right > innerWidth"
        " || e.scrollWidth > e.clientWidth + 1).length"
    )
    assert cut == 0
    assert page.locator("main .figures td.n:visible").count() > 50
    # The waterfall is shown to its end.
    assert page.locator(".waterfall tbody:visible").last.inner_text().startswith("stacked")


@pytest.mark.browser
def test_trials_sort_filter_and_open(watched: Watched):
    page = watched.open(sample.results())
    names = lambda: page.locator("#trials .trials tbody:visible > tr:first-child th code").all_inner_texts()  # noqa: E731
    assert names()[:2] == ["kernel-form:vmlinux", "crypto-selftests"]
    header = page.locator("#trials thead").get_by_role("button", name="saved, virtual ms")
    assert page.locator("#trials th[aria-sort]").get_attribute("aria-sort") == "descending"
    header.click()
    assert page.locator("#trials th[aria-sort]").get_attribute("aria-sort") == "ascending"
    assert names()[0] == "initramfs-compression:xz"
    assert set(names()[-2:]) == {"acpi-off", "microvm"}
    page.locator("#trials thead").get_by_role("button", name="change").focus()
    page.keyboard.press("Enter")
    assert names() == sorted(names())
    page.locator("#trials .search").fill("compression")
    assert len(names()) == 4
    assert page.locator("#trials .count").inner_text() == "4 of 29 trials"
    page.locator("#trials .search").fill("")
    page.get_by_role("group", name="verdict").get_by_role("button", name="broken").click()
    assert set(names()) == {"acpi-off", "microvm"}
    page.get_by_role("group", name="verdict").get_by_role("button", name="all").click()
    page.locator("#trials .search").fill("console-quiet")
    page.locator("#trials .fold:visible").click()
    evidence = page.locator("#trials .evidence")
    assert evidence.locator("ins").all_inner_texts() == ["quiet"]
    assert evidence.locator("del").all_inner_texts() == ["ignore_loglevel"]
    assert "console line changed" in evidence.inner_text()
    assert "02" * 16 in evidence.inner_text()


@pytest.mark.browser
def test_what_a_change_saves_by_itself_stands_with_its_evidence(watched: Watched):
    results = sample.results()
    steady = Steady(
        event="Linux version", until="dithers", following="Started", verdict=Verdict.FASTER,
        insns_verdict=Verdict.FASTER, base_ns=(413_600_000,), variant_ns=(213_700_000,),
        base_insns=(206_800_000,), variant_insns=(106_800_000,),
    )  # fmt: skip
    told = [
        t if t.change.id != "kernel-form:vmlinux" else msgspec.structs.replace(t, steady=steady) for t in results.trials
    ]
    page = watched.open(msgspec.structs.replace(results, trials=tuple(told)))
    page.locator("#trials .search").fill("kernel-form:vmlinux")
    page.locator("#trials .fold:visible").click()
    evidence = page.locator("#trials .evidence").inner_text()
    assert "the change itself" in evidence
    itself = "saves 199.9 ms up to “Linux version” (100.0 million instructions), after which dithers move “Started”"
    assert itself in evidence


@pytest.mark.browser
def test_the_timeline_zooms_pans_and_searches(watched: Watched):
    page = watched.open(sample.results())
    box = page.locator("#plot-diagnostic .plot-box")
    ticks = lambda: box.locator(".tick-text").all_text_contents()  # noqa: E731
    box.scroll_into_view_if_needed()
    whole = ticks()
    page.locator("#plot-diagnostic").get_by_role("button", name="zoom in").click()
    zoomed = ticks()
    assert zoomed != whole
    page.locator("#plot-diagnostic").get_by_role("button", name="pan right").click()
    assert ticks() != zoomed
    page.locator("#plot-diagnostic").get_by_role("button", name="show all").click()
    assert ticks() == whole
    box.focus()
    for key, undo in (("+", "-"), ("ArrowRight", "ArrowLeft")):
        page.keyboard.press("+")
        before = ticks()
        page.keyboard.press(key)
        assert ticks() != before
        page.keyboard.press(undo)
        page.keyboard.press("0")
        assert ticks() == whole
    area = box.bounding_box()
    page.mouse.move(area["x"] + area["width"] / 2, area["y"] + 40)
    page.mouse.wheel(0, -600)
    moved = "[...document.querySelectorAll('#plot-diagnostic .tick-text')].map(t => t.textContent).join() !== whole"
    page.wait_for_function(f"whole => {moved}", arg=",".join(whole))
    wheeled = ticks()
    page.mouse.down()
    page.mouse.move(area["x"] + area["width"] / 2 - 300, area["y"] + 40, steps=4)
    page.mouse.up()
    assert ticks() != wheeled
    search = page.locator("#plot-diagnostic .search")
    search.fill("_350_init")
    assert page.locator("#plot-diagnostic .count").inner_text() == "1 of 600 match"
    search.press("Enter")
    assert "_350_init" in page.locator("#plot-diagnostic .tell strong").inner_text()
    assert box.locator(".span.hit.chosen").count() == 1
    jump = page.locator("#plot-diagnostic .jump")
    assert jump.count() == 1
    search.fill("")
    assert jump.count() == 12


@pytest.mark.browser
def test_the_wheel_scrolls_the_page_until_the_plot_has_the_focus(watched: Watched):
    page = watched.open(sample.results())
    box = page.locator("#plot-timing .plot-box")
    box.scroll_into_view_if_needed()
    before, area = box.locator(".tick-text").all_text_contents(), box.bounding_box()
    at = page.evaluate("scrollY")
    page.mouse.move(area["x"] + 400, area["y"] + 30)
    page.mouse.wheel(0, 120)
    page.wait_for_function("at => scrollY !== at", arg=at)
    assert box.locator(".tick-text").all_text_contents() == before


@pytest.mark.browser
def test_the_boots_of_timeline_and_console_change(watched: Watched):
    page = watched.open(sample.results(), {"b45e": sample.recording(400), "f1a1": sample.recording(50, key="f1a1")})
    assert page.locator("#console .count").inner_text() == "401 lines"
    page.locator("#console").get_by_role("button", name="stacked").click()
    assert page.locator("#console .count").inner_text() == "51 lines"
    page.locator("#timeline").get_by_role("button", name="stacked").click()
    assert page.locator("#plot-timing .plot-box").get_attribute("aria-label").startswith("Timeline of the stacked")


@pytest.mark.browser
def test_a_long_console_says_what_is_left_out(watched: Watched):
    page = watched.open(sample.results("boot"), {"b45e": sample.recording(LINES_LIMIT + 9)})
    said = page.locator("#console .count").inner_text().replace("\u202f", "")
    assert said == "first 5000 of 5010 lines; the rest is in the recording"


@pytest.mark.browser
def test_a_failed_boot_says_how_and_what_to_do(watched: Watched):
    results = sample.results("boot", initcalls=0)
    base = msgspec.structs.replace(
        results.base, outcome=Outcome.HANG, reason="no line for 30 s after: Run /init", goal_ns=None, timeline=None
    )
    page = watched.open(msgspec.structs.replace(results, base=base, modelled=None), {})
    alert = page.get_by_role("alert").inner_text()
    assert "hang" in alert
    assert "Run /init" in alert
    assert "--diagnostic" in alert


@pytest.mark.browser
def test_two_clocks_give_no_difference(watched: Watched):
    results = sample.results()
    final = msgspec.structs.replace(results.stack.final, clock="printk")
    page = watched.open(msgspec.structs.replace(results, stack=msgspec.structs.replace(results.stack, final=final)))
    assert "no difference between them means anything" in page.get_by_role("alert").inner_text()
    assert page.locator(".share").count() == 0
    heads = page.locator("#stages thead th").all_inner_texts()
    assert "stacked, printk ms" in heads
    assert "saved, ms" not in heads


@pytest.mark.browser
def test_themes_follow_the_system_and_the_button(watched: Watched):
    page = watched.open(sample.results("boot"), color_scheme="dark")
    colour = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")  # noqa: E731
    dark = colour()
    page.get_by_role("button", name="light / dark").click()
    assert colour() == "rgb(255, 255, 255)" != dark


@pytest.mark.browser
def test_what_cannot_be_known_does_not_break_the_page(watched: Watched):
    results = sample.results("try", initcalls=0)
    base = msgspec.structs.replace(results.base, timeline=None, cmdline="", artefact_bytes={}, command=())
    bare = msgspec.structs.replace(
        results, base=base, techniques=(), modelled=None, notes=(), reproduce=(), shift=None, mode="free",
        trials=tuple(msgspec.structs.replace(t, effect=None, stages=(), p_value=0.03, interval_ns=(-5, 10_000_000),
                     samples_ns=(1, 2), base_samples_ns=(3, 4)) for t in results.trials),
    )  # fmt: skip
    page = watched.open(bare)
    assert page.locator("section").evaluate_all("all => all.map(s => s.id)") == ["trials"]
    for fold in page.locator(".fold").all()[:3]:
        fold.click()
    assert "p value" in page.locator("#trials .evidence").first.inner_text()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1200, 390])
def test_a_comparison_shows_every_row_and_says_what_not_to_rely_on(watched: Watched, width: int):
    page = watched.open(FOUND, viewport={"width": width, "height": 900})
    table = page.locator("#part-0")
    assert table.locator("tbody > tr > th").all_inner_texts() == ["CRAMFS", "ext2", r"x\x1b[1m"]
    assert "from reset, ms" in [text.replace("\n", " ") for text in table.locator("thead th").all_text_contents()]
    shown = table.locator("tbody").first.inner_text().replace("\u202f", " ")
    assert all(
        words in shown for words in ("2 120.000", "\u22125.000", "1.0 MiB in 4", "25.0 %", "0x40300a04", "mapped from")
    )
    assert table.locator("tbody.faint").count() == 2
    said = page.get_by_role("alert").all_inner_texts()
    assert [text.partition(":")[0] for text in said] == ["Not to be relied on"] * 2
    assert "<b>root" in said[0]
    assert page.locator("main b, main i").count() == 0
    assert "the kernel lacks <XFS>" in page.locator("#part-1").inner_text()
    assert page.locator("footer").inner_text().startswith("one\n")
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.browser
def test_the_stack_shows_what_terminal_and_markdown_show(watched: Watched):
    results = sample.results()
    page = watched.open(results)
    found = tables.comparison(results)
    for table in found.tables:
        place = page.locator("#trials" if table.group == "trial" else "#stack")
        place.locator("details").evaluate_all("all => all.forEach(d => { d.open = true; })")
        for button in place.locator(".more:visible").all():
            button.click()
        shown = place.inner_text()
        for row in found.rows_of(table):
            # The page has badges for risks, and its own columns say why nothing was booted.
            keys = (
                set(table.columns) - {"risk"}
                if row.verdict not in {"not applicable", "not booted"}
                else {"title", "words"}
            )
            for key in keys:
                text = cells.text(found.column(key), row, grouped=True)
                assert " ".join(text.split()) in " ".join(shown.split()), (row.id, key)


@pytest.mark.browser
@pytest.mark.parametrize("width", [1400, 480])
def test_an_optimisation_has_its_way_and_its_floor(watched: Watched, width: int):
    page = watched.open(optimized(), viewport={"width": width, "height": 900})
    assert page.locator("section").evaluate_all("all => all.map(s => s.id)")[:4] == ["stages", "way", "floor", "stack"]
    assert page.locator("#way tbody tr").count() >= 2
    assert page.locator("#floor").get_by_text("initcall acpi_init").count() == 1
    assert page.locator("#floor").get_by_text("31 smaller ones").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") == width
