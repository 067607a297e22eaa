"""The ladder: order, sizes, proof, and its four forms."""

import csv
import io
import json
import re

import msgspec
import pytest

from bootlab.model.change import Change, SetKernelOptions
from bootlab.model.recording import Outcome
from bootlab.model.verdict import Effect, StageDelta, Trial, Verdict
from bootlab.report import ladder_text
from bootlab.report.ladder import ladder
from bootlab.report.results import BootSummary, Results
from bootlab.report.text_table import to_text
from bootlab.techniques import get

MS = 1_000_000


def trial(technique: str, saved_ms: float | None, image: int, **more) -> Trial:
    change = Change(technique=technique, ops=(SetKernelOptions((("X", "n"),)),))
    named = {"verdict": Verdict.FASTER, "effect": Effect(True, "CONFIG_X: y -> off"), "outcome": Outcome.GOAL} | more
    goal = None if saved_ms is None else round((1000 - saved_ms) * MS)
    sizes = {"kernel": image}
    return Trial(
        change=change, base_key="b", key=technique, base_ns=1000 * MS, goal_ns=goal, artefact_bytes=sizes, **named
    )


@pytest.fixture
def results() -> Results:
    stages = (StageDelta("decompression", 100 * MS, 90 * MS), StageDelta("kernel", 800 * MS, 690 * MS))
    return Results(
        kind="try",
        id="1",
        system_name="board",
        started="",
        finished="",
        base=BootSummary(goal_ns=1000 * MS, artefact_bytes={"kernel": 2_000_000}),
        trials=(
            trial("smp-off", 20, 1_900_000),
            trial("tracing-off", 120, 1_800_000, stages=stages),
            trial("sysfs-off", 500, 1_700_000, effect=Effect(False, "the same kernel image was booted, byte for byte")),
            trial("proc-off", None, 1_700_000, verdict=Verdict.BROKEN, reason="panic: <b>no init</b>"),
            trial("ikconfig-off", 0, 1_990_000, verdict=Verdict.SAME),
        ),
    )


def test_proved_rows_come_first_by_time_and_the_broken_last(results):
    made = ladder(results, get)
    assert [r.change for r in made.rungs] == ["tracing-off", "smp-off", "ikconfig-off", "sysfs-off", "proc-off"]
    assert [r.change for r in made.proved] == ["tracing-off", "smp-off", "ikconfig-off"]


def test_a_rung_has_time_size_stage_and_what_was_published(results):
    first = ladder(results, get).rungs[0]
    assert (first.saved_ns, first.image_saved_bytes, first.stage) == (120 * MS, 200_000, "kernel")
    assert first.published == "-550 ms, -217 KB"
    assert first.costs == ("debuggability",)


def test_what_was_published_of_another_variant_does_not_stand_beside_a_rung(results):
    changes = [Change(technique="kernel-compression", ops=(), label=label) for label in ("lzo", "xz")]
    trials = tuple(msgspec.structs.replace(results.trials[0], change=change) for change in changes)
    lzo, xz = sorted(ladder(msgspec.structs.replace(results, trials=trials), get).rungs, key=lambda rung: rung.change)
    assert (lzo.published, xz.published) == ("-35 ms with LZO", "")


def test_what_loading_would_cost_stands_apart(results):
    made = ladder(results, get, bandwidth_bytes_per_s=1_000_000)
    assert made.base_load_ns == 2000 * MS
    first = made.rungs[0]
    assert (first.load_ns, first.decompression_ns, first.kernel_ns) == (1800 * MS, 90 * MS, 690 * MS)
    assert first.saved_ns == 120 * MS
    text = ladder_text.markdown(made)
    assert "1 MB/s" in text
    assert "| 1800.000 | 90.000 | 690.000 |" in text


def test_a_broken_system_has_no_time(results):
    assert ladder(results, get).rungs[-1].saved_ns is None


def test_the_terminal_shows_a_gain_as_a_minus(results):
    text = to_text(ladder_text.terminal(ladder(results, get)), width=120)
    assert "3 proved rows" in text
    assert re.search(r"Kernel without tracing.*\u2212120\.000 ms.*\u2212195\.3 KiB.*kernel.*faster", text)
    assert "not proved: the same kernel image" in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_figures_stay_whole_on_a_narrow_terminal(results, width):
    text = to_text(ladder_text.terminal(ladder(results, get)), width=width)
    assert all(len(line) <= width for line in text.splitlines())
    for whole in ("\u2212120.000 ms", "\u2212195.3 KiB", "faster", "broken", "90.000", "690.000"):
        assert whole in text


def test_every_change_stands_in_both_tables(results):
    made = ladder(results, get)
    text = ladder_text.markdown(made)
    gains, stages = text.split("## ")
    for rung in made.rungs:
        assert f"({rung.change})" in gains
        assert f"| {rung.change} |" in stages


def test_markdown_and_html_escape(results):
    made = ladder(results, get)
    assert "<b>" not in ladder_text.markdown(made)
    page = ladder_text.page(made)
    assert "<b>no init" not in page
    assert "&lt;b&gt;no init" in page
    assert page.count("<tr") == 1 + len(made.rungs)


def test_csv_has_plain_numbers_and_starts_no_formula(results):
    rows = list(csv.DictReader(io.StringIO(ladder_text.comma_separated(ladder(results, get)))))
    assert rows[0]["saved_ns"] == "120000000"
    assert rows[0]["published"] == "'-550 ms, -217 KB"
    assert rows[-1]["saved_ns"] == ""


def test_json_carries_format_and_version(results):
    document = json.loads(msgspec.json.encode(ladder(results, get)))
    assert (document["format"], document["version"]) == ("bootlab-ladder", 1)


def test_without_trials_there_are_no_rows(results):
    made = ladder(msgspec.structs.replace(results, trials=()), get)
    assert made.rungs == ()
    assert "0 proved rows" in ladder_text.markdown(made)
