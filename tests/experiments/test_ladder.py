# SPDX-License-Identifier: MIT
"""The ladder: order, sizes, proof, and its four forms."""

import csv
import io
import re

import msgspec
import pytest

from bootlab.experiments import ladder_media
from bootlab.experiments.ladder import ladder
from bootlab.model.change import Change
from bootlab.model.comparison import Comparison
from bootlab.model.costs import READ_TIMES, Between, TurningPoint
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.recording import Outcome
from bootlab.model.verdict import Effect, OnBoard, StageDelta, Trial, Verdict
from bootlab.techniques import get
from bootlab.views.table import csv as table_csv
from bootlab.views.table import markdown, page, terminal
from tests.rendered import to_text

MS = 1_000_000


def trial(technique: str, saved_ms: float | None, image: int, **more) -> Trial:
    change = Change(technique=technique, ops=(SetKernelOptions((("X", "n"),)),))
    named = {"verdict": Verdict.FASTER, "effect": Effect(True, "CONFIG_X: y -> off"), "outcome": Outcome.GOAL} | more
    goal = None if saved_ms is None else round((1000 - saved_ms) * MS)
    sizes = {"kernel": image}
    return Trial(
        change=change, base_key="b", key=technique, base_ns=1000 * MS, goal_ns=goal, artefact_bytes=sizes, **named
    )


STAGES = (StageDelta("decompression", 100 * MS, 90 * MS), StageDelta("kernel", 800 * MS, 690 * MS))
TRIALS = (
    trial("smp-off", 20, 1_900_000),
    trial("tracing-off", 120, 1_800_000, stages=STAGES),
    trial("sysfs-off", 500, 1_700_000, effect=Effect(False, "the same kernel image was booted, byte for byte")),
    trial("proc-off", None, 1_700_000, verdict=Verdict.BROKEN, reason="panic: <b>no init</b>"),
    trial("ikconfig-off", 0, 1_990_000, verdict=Verdict.SAME),
)


def made(trials: tuple[Trial, ...] = TRIALS, **options) -> Comparison:
    return ladder("board", "virtual", (1000 * MS, {"kernel": 2_000_000}), trials, get, **options)


def test_proved_rows_come_first_by_time_and_the_broken_last():
    rows = made().rows
    assert [row.id for row in rows] == ["tracing-off", "smp-off", "ikconfig-off", "sysfs-off", "proc-off"]
    assert [row.id for row in rows if row.proved] == ["tracing-off", "smp-off", "ikconfig-off"]
    assert made().headline == "board: 3 proved rows, base 1000.000 virtual ms, image 1.9 MiB"


def test_a_row_has_time_size_stage_and_what_was_published():
    first = made().rows[0].values
    assert (first["saved_ns"], first["image_saved_bytes"], first["stage"]) == (120 * MS, 200_000, "kernel")
    assert first["published"] == "-550 ms, -217 KB"
    assert first["costs"] == "debuggability"


def test_what_was_published_of_another_variant_does_not_stand_beside_a_row():
    changes = [Change(technique="kernel-compression", ops=(), label=label) for label in ("lzo", "xz")]
    trials = tuple(msgspec.structs.replace(TRIALS[0], change=change) for change in changes)
    lzo, xz = sorted((row for row in made(trials).rows if row.value("group") == "change"), key=lambda row: row.id)
    assert (lzo.values["published"], xz.values["published"]) == ("-35 ms with LZO", "")


def test_what_loading_would_cost_stands_apart():
    found = made(bandwidth_bytes_per_s=1_000_000)
    assert (found.facts["base_load_least_ns"], found.facts["base_load_most_ns"]) == (1946 * MS, 2054 * MS)
    first = found.rows[0]
    ends = [first.ns(key) for key in ("load_least_ns", "load_most_ns")]
    assert ends == [round(1800 * MS * times) for times in (READ_TIMES.low, READ_TIMES.high)]
    assert [first.ns(key) for key in ("decompression_ns", "kernel_ns")] == [90 * MS, 690 * MS]
    assert first.ns("saved_ns") == 120 * MS
    text = markdown.page(found)
    assert "1 MB/s" in text
    assert "| 1751 to 1849 | 90.000 | 690.000 |" in text
    assert "(base: 1,946 to 2,054 ms)" in text


def test_a_slow_medium_wants_small_images_and_a_fast_one_quick_ones():
    packed = [
        msgspec.structs.replace(trial(*values), change=Change(technique="kernel-compression", ops=(), label=label))
        for label, *values in (("none", "", 80, 5_000_000), ("lz4", "", 60, 2_400_000), ("xz", "", -300, 1_500_000))
    ]
    found = made((*packed, TRIALS[0]))
    media = [row for row in found.rows if row.value("group") == "medium"]
    best = {row.title: (row.value("best"), row.ns("total_change_least_ns")) for row in media}
    # 2 MB at 3.125 MB/s take 640 ms, 1.5 MB take 480, and unpacking them 300 more.
    assert best["SPI NOR, 1 bit at 25 MHz"] == ("none: the base", 0)
    assert best["SD, default speed"] == ("kernel-compression:lz4", round((READ_TIMES.low * (192 - 160) - 60) * MS))
    assert best["eMMC, HS400"][0] == "kernel-compression:none"
    assert [row.id for row in found.rows_of(found.tables[0])] == [
        "kernel-compression:none", "kernel-compression:lz4", "smp-off", "kernel-compression:xz",
    ]  # fmt: skip
    text = markdown.page(found)
    assert "Which packing wins" in text
    assert (
        "| SD, default speed | 12.5 | 155.7 to 164.3 | kernel-compression:lz4 | 187 to 197 | \u221228.9 to \u221227.1 |"
        in text
    )


def test_where_the_ends_of_a_medium_disagree_both_winners_are_named():
    def packing(name, loaded_bytes, time_ms):
        return ladder_media.Packing(name=name, loaded_bytes=loaded_bytes, time_ns=time_ms * MS)

    # 1,250,000 bytes fewer save 97.3 to 102.7 ms at 12.5 MB/s, and unpacking them takes 100.
    rows = ladder_media.rows(5_000_000, [packing("none", 5_000_000, -1), packing("xz", 3_750_000, 99)])
    row = next(row for row in rows if row.title == "SD, default speed")
    assert row.value("best") == "none or xz"
    changes = [row.ns(f"total_change_{end}_ns") for end in ("least", "most")]
    assert changes == pytest.approx([-3.7 * MS, -1 * MS])
    one_board = next(row for row in rows if row.title.startswith("eMMC, HS400"))
    assert one_board.value("best") == "none"


def test_without_another_packing_no_medium_is_asked_for():
    assert all(row.value("group") == "change" for row in made().rows)
    assert "Which packing wins" not in markdown.page(made())


def test_a_broken_system_has_no_time():
    assert made().rows[-1].ns("saved_ns") is None
    assert not made().rows[-1].ok


def test_the_terminal_shows_a_gain_as_a_minus():
    text = to_text(terminal.view(made()), width=160)
    assert re.search(r"Kernel without tracing.*\u2212120\.000.*\u2212195\.3 KiB.*kernel.*faster", text)
    assert "not proved: the same kernel image" in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_figures_stay_whole_on_a_narrow_terminal(width):
    text = to_text(terminal.view(made()), width=width)
    assert all(len(line) <= width for line in text.splitlines())
    for whole in ("\u2212120.000", "90.000", "690.000"):
        assert whole in text


def test_every_change_stands_in_both_tables():
    gains, stages = markdown.page(made()).split("## ")
    for row in made().rows:
        assert f"({row.id})" in gains
        assert f"| {row.id} |" in stages


def test_markdown_and_html_escape():
    assert "<b>" not in markdown.page(made())
    html = page.page(made())
    assert "<b>no init" not in html
    assert "\\u003cb\\u003eno init" in html


def test_csv_has_plain_numbers_and_starts_no_formula():
    rows = list(csv.DictReader(io.StringIO(table_csv.text(made()))))
    assert rows[0]["saved_ns"] == "120000000"
    assert rows[0]["published"] == "'-550 ms, -217 KB"
    assert rows[-1]["saved_ns"] == ""


def test_json_carries_format_and_version():
    assert (made().document()["format"], made().document()["version"]) == ("bootlab-ladder", 2)


def test_without_trials_there_are_no_rows():
    assert made(()).rows == ()
    assert "0 proved rows" in markdown.page(made(()))


def test_the_boards_verdict_stands_beside_the_exact_one():
    point = TurningPoint(of="medium", at=Between(30e6, 31e6), faster="above")
    board = OnBoard(verdict=Verdict.DEPENDS, saved_ns=(-2 * MS, 5 * MS), base_ns=(0, 0), goal_ns=(0, 0), turns=(point,))
    exact = trial("smp-off", 20, 1_900_000)
    found = made((msgspec.structs.replace(exact, board=board),))
    row = found.rows[0]
    assert (row.values["decision"], row.ns("least_ns"), row.ns("most_ns")) == ("depends on the board", -2 * MS, 5 * MS)
    assert row.values["turns"] == "smp-off wins above 30 to 31 MB/s"
    assert row.verdict == exact.verdict.value
    assert any("turns" in table.columns for table in found.tables)
    assert all("turns" not in table.columns for table in made((exact,)).tables)
