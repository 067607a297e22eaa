# SPDX-License-Identifier: MIT
"""Terminal tables and the Markdown summary: golden texts, and texts that attack."""

import csv
import io
import os
import re
from pathlib import Path

import msgspec
import pytest
from markdown_it import MarkdownIt

from bootlab.model import figures
from bootlab.model.change import (
    Change,
)
from bootlab.model.costing import CostedStage, Costing, Seen
from bootlab.model.costs import READ_TIMES, Between
from bootlab.model.recording import Outcome
from bootlab.model.sample import Spread
from bootlab.model.timeline import WHOLE, Stage
from bootlab.model.verdict import Trial, Verdict
from bootlab.results import board
from bootlab.results import file as results_file
from bootlab.results.document import BootSummary
from bootlab.views import markdown_text, publish
from bootlab.views.run import headline, side_tables, tables, terminal
from bootlab.views.run import markdown as summary_markdown
from bootlab.views.run.page_data import page_data
from bootlab.views.shown_text import one_line, visible
from bootlab.views.table import cells
from bootlab.views.table.listing import p_value, real
from tests.rendered import to_text
from tests.views import report_sample as sample

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str, text: str) -> None:
    file = GOLDEN / name
    if os.environ.get("BOOTLAB_UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()


@pytest.mark.parametrize("kind", ["boot", "try", "stack"])
def test_terminal(kind: str):
    results = sample.results(kind, initcalls=3)
    golden(f"terminal-{kind}.txt", to_text(terminal.results_view(results), width=120))


def test_terminal_of_a_failure():
    results = sample.results("boot", initcalls=0)
    base = msgspec.structs.replace(
        results.base, goal_ns=None, goal_insns=None, outcome=Outcome.PANIC, reason="Kernel panic - not syncing: VFS",
        lacks=("instruction-exact marks: the stamp plugin is not built",),
    )  # fmt: skip
    text = to_text(terminal.results_view(msgspec.structs.replace(results, base=base)), width=100)
    golden("terminal-failed.txt", text)


def test_two_clocks_give_no_difference():
    results = sample.results("stack", initcalls=0)
    assert results.stack is not None
    final = msgspec.structs.replace(results.stack.final, clock="printk")
    mixed = msgspec.structs.replace(results, stack=msgspec.structs.replace(results.stack, final=final))
    text = str(terminal.headline(mixed))
    assert text == "debian-cloud: 1192.541 virtual ms; stack 369.011 printk ms: two clocks, not comparable"
    summary = summary_markdown.render(mixed)
    assert "two clocks, not comparable" in summary
    assert "% of the base" not in summary


def test_samples_get_a_p_column():
    results = sample.results("try")
    trial = msgspec.structs.replace(results.trials[0], p_value=0.0123)
    text = to_text(terminal.results_view(msgspec.structs.replace(results, trials=(trial,))))
    assert re.search(r"^kernel-form:vmlinux .* 0\.0123", text, re.MULTILINE)


@pytest.mark.parametrize("kind", ["boot", "try", "stack"])
def test_the_answer_is_the_last_line(kind: str):
    results = sample.results(kind)
    lines = to_text(terminal.results_view(results), width=1000).splitlines()
    assert lines[-1] == headline.headline(results)
    assert lines[-2] == headline.by_what(results)
    assert (lines[-2] != "") is (kind != "boot")


@pytest.mark.parametrize("everything", [False, True])
def test_eighty_columns_cut_nothing(everything):
    """Every figure and every id of 40 characters is whole: what does not fit stands in another table below."""
    results = sample.results("stack")
    text = to_text(terminal.results_view(results, everything=everything), width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert "\u2026" not in text
    shown = tables.comparison(results, everything=everything)
    for row in shown.rows:
        if len(row.id) <= 40:
            assert re.search(rf"^{re.escape(row.id)}(\s|$)", text, re.MULTILINE)
        for key in {"saved_ns", "cost_ns", "goal_ns", "of_base", "board_least_ns"} & row.values.keys():
            if any(key in set(t.columns) - set(t.wide) and t.group == row.values["group"] for t in shown.tables):
                assert cells.text(shown.column(key), row) in text


def test_what_made_no_difference_is_behind_all():
    results = sample.results("stack")
    short, whole = (to_text(terminal.results_view(results, everything=e), width=100) for e in (False, True))
    assert "raid-noautodetect" not in short
    assert "not shown: 6 trials without a difference or without a boot" in short
    assert "raid-noautodetect" in whole
    assert "Techniques" in whole
    assert "not shown" not in whole


def test_trials_that_were_asked_for_are_all_shown():
    results = sample.results("try")
    few = msgspec.structs.replace(results, trials=tuple(t for t in results.trials if t.verdict is Verdict.SAME))
    text = to_text(terminal.results_view(few), width=100)
    assert "audit-off" in text
    assert "0 of 2 changes make it faster" in text


def test_a_failure_is_said_once():
    results = sample.results("boot")
    base = msgspec.structs.replace(results.base, goal_ns=None, outcome=Outcome.HANG, reason="no byte for 30 s")
    text = to_text(terminal.results_view(msgspec.structs.replace(results, base=base)), width=100)
    assert text.count("no byte for 30 s") == 1


def test_trials_and_stack_as_csv():
    rows = list(csv.DictReader(io.StringIO(publish.csv(sample.results("stack")).decode())))
    groups = [row["group"] for row in rows]
    assert [groups.count(name) for name in ("trial", "step", "left out", "leave one out")] == [30, 10, 3, 10]
    first = next(row for row in rows if row["group"] == "step")
    step = sample.results("stack").stack.steps[0]
    assert [first[name] for name in ("id", "saved_ns", "goal_ns")] == [
        step.change_id, str(step.saved_ns), str(step.after_ns),
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(publish.csv(sample.results("boot")).decode())))
    stages = sample.results("boot").base.timeline.stages
    assert [(row["stage"], row["duration_ns"]) for row in rows] == [(s.name, str(s.duration_ns)) for s in stages]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (2600, 1000, "2.6 times as fast, \u221261.5 %"),
        (1000, 1300, "1.3 times as long, +30.0 %"),
        (1000, 991, "\u22120.9 %"),
        (1000, 1050, "+5.0 %"),
        (100_000, 100_001, "as fast as before"),
        (None, 1, "\u2014"),
        (5, None, "\u2014"),
        (0, 5, "\u2014"),
    ],
)
def test_what_became_of_a_time(before, after, said):
    assert figures.times_as_fast(before, after) == said


def test_a_modelled_cost_that_would_change_the_decision_stands_with_the_answer():
    results = sample.results("try")
    slow = msgspec.structs.replace(
        results.trials[0], artefact_bytes={"kernel": 60_000_000}, console_bytes=results.trials[0].base_console_bytes
    )
    changed = msgspec.structs.replace(results, trials=(slow, *results.trials[1:]))
    (found,) = board.turned(changed)
    # (60,000,000 - 7,891,904) bytes at 20 MB/s.
    assert (found.change_id, found.saved_ns) == ("kernel-form:vmlinux", 296_310_448)
    ends = [-2_605_404_800 * times for times in (READ_TIMES.high, READ_TIMES.low)]
    assert [found.board_ns.low, found.board_ns.high] == pytest.approx(ends)
    lines = to_text(terminal.results_view(changed), width=1000).splitlines()
    said = "kernel-form:vmlinux saves 296.3 ms here, but its modelled cost on such a board is 2535.1 to 2675.8 ms"
    assert lines[-3] == f"modelled, would change the decision: {said}"
    assert said in summary_markdown.render(changed)
    assert board.turned(results) == ()


def test_stages_stand_in_the_order_of_the_boot():
    results = sample.results("boot")
    names = ("firmware", "SPL", "U-Boot", "decompression", "kernel", "initrd", "user space", "units", "application")
    stages = tuple(Stage(name, number * 1000, 1000) for number, name in enumerate(names))
    line = msgspec.structs.replace(results.base.timeline, stages=stages)
    base = msgspec.structs.replace(results.base, timeline=line)
    found = side_tables.stages(msgspec.structs.replace(results, base=base))
    assert tuple(row.id for row in found.rows) == (*names, WHOLE)


@pytest.mark.parametrize("kind", ["boot", "try", "stack"])
def test_markdown(kind: str):
    golden(f"summary-{kind}.md", summary_markdown.render(sample.results(kind, initcalls=3)))


def unsafe(text: str) -> set[str]:
    return {c for c in text if (ord(c) < 0x20 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c in "\u2028\u2029\u202e"}


def test_hostile_text_reaches_the_terminal_as_text():
    results, _ = sample.hostile()
    text = to_text(terminal.results_view(results), width=200)
    assert not unsafe(text)
    assert r"\x1b[31mred\x1b[0m" in text
    assert "[red]markup[/red]" in text
    assert len(text) < 200_000


def test_hostile_text_is_not_markdown():
    results, _ = sample.hostile()
    text = summary_markdown.render(results)
    assert not unsafe(text)
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    kinds = {t.type for t in tokens} | {c.type for t in tokens for c in t.children or ()}
    assert {"table_open", "code_inline", "fence"} <= kinds
    assert not kinds & {"html_block", "link_open", "image"}
    assert {c.content for t in tokens for c in t.children or () if c.type == "html_inline"} == {"<br>"}
    bold = [
        c.content
        for t in tokens
        for n, c in enumerate(t.children or ())
        if n and t.children[n - 1].type == "strong_open"
    ]
    assert set(bold) == {"1192.541 to 369.011 virtual ms: 3.2 times as fast, \u221269.1 %"}
    assert {t.content for t in tokens if t.type == "fence" and "{% raw %}" in t.content}
    assert len(text) < 200_000


@pytest.mark.parametrize("text", ["a`b", "``", "`", "a|b", "plain", "*x* <b>"])
def test_a_code_span_holds_any_text(text: str):
    inline = MarkdownIt("commonmark").parse(markdown_text.code(text))[1]
    assert [(t.type, t.content) for t in inline.children] == [("code_inline", text)]


def test_a_bar_does_not_end_a_table_cell():
    assert markdown_text.code_cell("a|b") == r"`a\|b`"


def test_controls_become_visible():
    assert visible("a\x00b\x1b[1m\x9b\u202e\ufeff") == r"a\x00b\x1b[1m\x9b\u202e\ufeff"
    assert visible("tab\there") == "tab\there"
    assert one_line("tab\there\n") == r"tab here\x0a"
    assert visible("x" * 100_000, 10) == "x" * 10 + " … 99990 more characters"


def test_a_p_value_is_never_told_as_nought():
    """Sixteen boots beside 67 stood with p = 0.0000."""
    assert [p_value(p).text for p in (0.00004, 0.00006, 0.0617, None)] == ["< 0.0001", "0.0001", "0.0617", "—"]
    assert p_value(1e-9).value == 1e-9
    assert real(-1.0, sign=True).text == "\u22121.00"


def test_figures():
    assert figures.ms(1_234_567_890) == "1234.568"
    assert figures.signed_ms(-2_114_006) == "\u22122.114"
    assert figures.signed_ms(400) == "0.000"
    assert figures.percent(-52, 3000) == "\u22121.7 %"
    assert figures.percent(-1, 3000) == "0.0 %"
    assert figures.percent(1, 0) == figures.ABSENT
    assert figures.percent(1, 0) == figures.ABSENT
    assert figures.count(1234567) == "1\u202f234\u202f567"
    assert [figures.size(n) for n in (1023, 1536, 8 << 20, 3 << 30)] == ["1023 B", "1.5 KiB", "8.0 MiB", "3.0 GiB"]


def test_a_trial_that_matters_most_on_a_board_is_named_beside_the_answer():
    results = sample.results("try")
    assert board.outweighed(results) is None
    slow = msgspec.structs.replace(results, modelled=msgspec.structs.replace(results.modelled, baud=9600))
    most = board.outweighed(slow)
    assert most is not None
    assert most.change_id == "console-quiet"
    (line,) = headline.modelled_lines(slow)
    assert line.startswith("modelled, not in these times: console-quiet saves ")
    assert "9600 baud" in line
    assert most.change_id in to_text(terminal.results_view(slow), width=80).split("largest gains")[0].splitlines()[-2]


def test_why_a_named_technique_was_not_tried_is_always_said():
    found = sample.results("try")
    tried = tuple(trial for trial in found.trials if trial.change.technique != "lpj")
    found = msgspec.structs.replace(found, trials=tried)
    refused = next(one for one in found.techniques if one.id == "lpj")
    shown = " ".join(to_text(terminal.results_view(found, named=("lpj", "quiet"))).split())
    assert f"lpj was not tried: {' '.join(refused.reason.split())}" in shown
    assert "quiet was not tried" not in shown
    assert "1 technique that does not apply" in shown
    assert "lpj was not tried" not in to_text(terminal.results_view(found))


def told(base: dict, *verdicts: Verdict, final: dict | None = None) -> str:
    """Return the answer of a run of a base that ended so, and trials with these verdicts."""
    trials = tuple(
        Trial(change=Change(technique=f"t{n}", ops=()), verdict=verdict, base_key="k", base_ns=1000, goal_ns=900)
        for n, verdict in enumerate(verdicts)
    )
    whole = sample.results("try" if final is None else "stack", initcalls=0)
    whole = msgspec.structs.replace(whole, base=BootSummary(key="k", **base), trials=trials)
    if final is not None:
        whole = msgspec.structs.replace(
            whole, stack=msgspec.structs.replace(whole.stack, final=BootSummary(key="f", **final))
        )
    return headline.answer(whole)


GOAL = {"outcome": Outcome.GOAL, "goal_ns": 1_000_000_000}
SOME_FAILED = GOAL | {
    "failed_boots": (Outcome.HANG, Outcome.HANG),
    "spread": Spread(boots=3, median_ns=900_000_000, first_ns=800_000_000, last_ns=950_000_000),
}
CHECK_FAILED = {"outcome": Outcome.CHECK_FAILED, "reason": "no checksum", "goal_ns": 1_000_000_000}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (told(GOAL), "goal after 1000.000 virtual ms"),
        (told(CHECK_FAILED), "check-failed: no checksum"),
        (told({"outcome": Outcome.GOAL}), "the goal was reached, but its time is not known"),
        (told({"outcome": Outcome.CANNOT_START, "reason": "refused"}), "cannot-start: refused"),
        (told(GOAL, final=CHECK_FAILED), "the stack failed: check-failed: no checksum"),
        (told(GOAL, Verdict.SAME, Verdict.SLOWER), "goal after 1000.000 virtual ms; 0 of 2 changes make it faster"),
        (told(GOAL, Verdict.BROKEN, Verdict.BROKEN), "goal after 1000.000 virtual ms; 0 of 2 changes make it faster"),
        (
            told(GOAL, final=SOME_FAILED),
            (
                "1000.000 to 900.000 (800.000 to 950.000 in 3 boots), and 2 boots that failed (hang) virtual ms: "
                "1.1 times as fast, \u221210.0 %"
            ),
        ),
        (
            told(GOAL, Verdict.UNKNOWN, Verdict.NOT_BOOTED),
            "goal after 1000.000 virtual ms; 2 changes, not known of any whether it makes it faster",
        ),
        (
            told(GOAL, Verdict.SAME, Verdict.NO_EFFECT, Verdict.NOT_BOOTED),
            "goal after 1000.000 virtual ms; 0 of 3 changes make it faster (1 not known)",
        ),
    ],
)
def test_the_answer_claims_what_its_boots_showed(said: str, expected: str) -> None:
    """A boot whose check failed said "goal after"; trials that the host ended counted as not faster."""
    assert said == expected


def test_a_forecast_stands_in_document_table_and_markdown():
    seen = Seen(core="x86-large", processor="one", programs=10, inside=9, bare=3, below=1.0, above=1.5)
    stage = CostedStage(
        name="kernel", exact_ns=100_000_000, instructions=90_000_000, waited_ns=10_000_000,
        modelled_ns=Between(50e6, 60e6), computed_ns=Between(50e6, 90e6), printed_ns=Between(5e6, 6e6),
        classes={}, events={},
    )  # fmt: skip
    whole = msgspec.structs.replace(stage, name="whole boot", loaded_ns=Between(100e6, 110e6))
    costing = Costing(
        core="camera.toml", title="Camera", ghz=Between.of(1.0), seen=seen, stages=(stage,), whole=whole, outside=()
    )
    results = msgspec.structs.replace(sample.results("boot"), costing=costing)
    assert results_file.decode(results_file.encode(results), source="here").costing == costing
    found = side_tables.forecast(results)
    assert found is not None
    assert [(row.ns("forecast_least_ns"), row.ns("forecast_most_ns")) for row in found.rows] == [
        (65_000_000, 106_000_000),
        (165_000_000, 216_000_000),
    ]
    # What is not known of a stage is no zero.
    assert found.rows[0].ns("loaded_least_ns") is None
    assert "Forecast for Camera (console and boot medium in it)" in summary_markdown.render(results)
    page = page_data(results, {})["forecast"]
    sure = [["computed", 50_000_000], ["waited", 10_000_000], ["printed", 5_000_000]]
    assert page["stages"][0]["parts"] == [*sure, ["unsure", 41_000_000]]
    assert page_data(sample.results("boot"), {})["forecast"] is None
