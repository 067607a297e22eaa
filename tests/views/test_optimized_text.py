# SPDX-License-Identifier: MIT
"""What an optimisation adds to a report: the waterfall, the floor, what else it does."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from bootlab.model.contrast import Contrast
from bootlab.model.costs import LINE_TIMES, READ_TIMES
from bootlab.model.floor import Floor, FloorPart, Obstacle
from bootlab.model.question import Question
from bootlab.model.verdict import Effect, Verdict
from bootlab.model.waterfall import Bar
from bootlab.results.document import Rejected
from bootlab.techniques import get
from bootlab.techniques.base import Risk
from bootlab.views.run import floor, headline, markdown, page, tables, terminal
from tests.rendered import to_text
from tests.views import report_sample as sample

FLOOR = Floor(
    goal_ns=400_000_000,
    parts=(
        FloorPart(title="camera itself", ns=20_000_000, kind="bound", why="its own instructions"),
        FloorPart(title="page tables and memory", ns=30_000_000, kind="estimate", why="what it takes here"),
    ),
    obstacles=(
        Obstacle(title="initcall acpi_init", ns=200_000_000, lever="initcall-blacklist:acpi_init"),
        Obstacle(title="deferred work <script>", ns=100_000_000),
    ),
    others_ns=50_000_000,
    others=31,
)


def results(found=FLOOR):
    clean = sample.results("stack", initcalls=5)
    ids = [change.id for change in clean.stack.changes] or ["quiet", "crypto-selftests"]
    bars = (
        Bar(changes=(ids[0],), before_ns=clean.base.goal_ns, after_ns=700_000_000),
        Bar(changes=tuple(ids[1:3]), before_ns=700_000_000, after_ns=400_000_000),
    )
    return msgspec.structs.replace(clean, kind="optimize", floor=found, waterfall=bars)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminal_shows_both_tables_and_cuts_no_figure(width):
    text = to_text(terminal.results_view(results()), width=width)
    for said in ("camera itself", "page tables and memory", "20.000", "30.000", "initcall acpi_init", "200.000"):
        assert said in text
    assert "31 smaller ones" in text
    assert "50.000" in text
    assert "at least 20.000 ms with this application (a bound)" in " ".join(text.split())


def test_the_line_says_what_is_a_bound_and_what_is_an_estimate():
    said = floor.said(results())
    assert said == (
        "floor: at least 20.000 ms with this application (a bound); about 50.000 ms for what the goal needs (an "
        "estimate), 8.0 times less than the result"
    )
    without = msgspec.structs.replace(FLOOR, parts=FLOOR.parts[1:], notes=("nobody knows the application",))
    assert "bound)" not in floor.said(results(without))
    assert "nobody knows the application" in floor.said(results(without))
    assert floor.said(results(None)) == ""
    assert "not known" in floor.said(results(Floor(goal_ns=5)))


def test_what_had_to_stay_and_what_was_asked_is_told_with_the_reason():
    shown = msgspec.structs.replace(
        results(),
        options_kept={"NET": "unix_create() needs it"},
        parts_kept={"/etc/hosts": "the console says: cannot open /etc/hosts"},
        questions=(
            Question(what="kernel without 900 options", broken="hang: nothing moved"),
            Question(what="kernel without 899 options", key="k"),
        ),
    )
    for text in (to_text(terminal.results_view(shown), width=120), markdown.render(shown).replace("\\", "")):
        for said in ("CONFIG_NET", "/etc/hosts", "cannot open", "kernel without 900 options", "hang: nothing moved"):
            assert said in text
        assert "it works" in text
    data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page.render(shown), re.DOTALL)[1])
    assert {"option", "part", "question"} <= data["tables"].keys()


def test_a_change_that_works_together_with_another_names_it():
    plain = results()
    row = next(row for row in plain.stack.leave_one_out if row.cost_ns is not None)
    for cost_ns, partner, said in (
        (200_000_000, ("b",), "200.000 ms later: it saves more together with b"),
        (200_000_000, (), "it saves more together with later changes"),
        (1_000_000, ("b",), "comes only 1.000 ms later: b saves part of the same"),
        (100_000_000, (), None),
    ):
        bar = Bar(changes=(row.change_id,), before_ns=500_000_000, after_ns=400_000_000, partner=partner)
        left = tuple(
            msgspec.structs.replace(one, cost_ns=cost_ns) if one is row else one for one in plain.stack.leave_one_out
        )
        stack = msgspec.structs.replace(plain.stack, leave_one_out=left)
        text = markdown.render(msgspec.structs.replace(plain, stack=stack, waterfall=(bar,)))
        assert (said in text) if said else ("saves more together" not in text and "part of the same" not in text)


def bars_that_end(*after_ns: int | None):
    """Return a run whose bars end so; None: that prefix of the stack does not reach the goal."""
    bars = tuple(Bar(changes=(f"c{n}",), before_ns=500_000_000, after_ns=ns) for n, ns in enumerate(after_ns))
    return msgspec.structs.replace(results(), waterfall=bars)


def test_a_bar_that_does_not_reach_the_goal_saves_nothing_that_could_be_told():
    assert headline.by_what(bars_that_end(None, None)) == ""
    one = bars_that_end(None, 400_000_000)
    assert headline.by_what(one) == "by 2 changes: c1 \u2212100.000 ms"
    all_of_them = headline.by_what(bars_that_end(450_000_000, 400_000_000))
    assert all_of_them == "by 2 changes: c1 \u2212100.000 ms, c0 \u221250.000 ms"
    for text in (to_text(terminal.results_view(one), width=160), markdown.render(one)):
        assert "it does not reach its goal" in " ".join(text.split())


def test_each_kept_change_says_what_it_costs():
    found = results()
    known = msgspec.structs.replace(found.techniques[0], id="quiet", risk=Risk(debuggability="no messages"))
    text = markdown.render(msgspec.structs.replace(found, techniques=(known, *found.techniques))).replace("\\", "")
    lost = text.split("## What the kept changes cost and risk")[1].split("##")[0]
    assert f"| quiet | d | {get('quiet').cost.replace('`', '')} Debugging: no messages. |" in lost
    assert f"| crypto-selftests |  | {get('crypto-selftests').cost} |" in lost


def test_markdown_has_the_same():
    text = markdown.render(results())
    assert "What else the result does" in text
    assert "initcall-blacklist:acpi" in text.replace("\\", "")


def test_the_pages_data_has_waterfall_and_floor():
    html = page.render(results())
    assert "waySection" in html
    assert "floorSection" in html
    data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', html, re.DOTALL)[1])
    assert {"bar", "floor", "obstacle"} <= data["tables"].keys()
    assert data["answer"]["floor"].startswith("floor: at least 20.000 ms")
    assert "<script>" not in html.split('id="data"')[1].split("</script>")[0]


def test_the_waterfall_shows_the_proof_of_each_change_and_groups_have_short_names():
    found = results()
    ids = [one for bar in found.waterfall for one in bar.changes]
    step = msgspec.structs.replace(
        found.stack.steps[0],
        change_id="group:" + " + ".join(ids),
        members=tuple(ids),
        each={one: f"proof of {one}" for one in ids},
    )
    left = Rejected(change_id=f"group:{ids[0]} + x + y", members=(ids[0], "x", "y"), reason="no gain")
    stack = msgspec.structs.replace(found.stack, steps=(step,), rejected=(left,))
    text = to_text(terminal.results_view(msgspec.structs.replace(found, stack=stack)), width=160)
    shown = text.split("Waterfall")[1].split("\n\n\n")[0]
    assert f"proof of {ids[0]}" in shown
    assert f"proof of {ids[1]}" in shown
    assert f"{ids[0]} and 1 other together" in text
    assert f"{ids[0]} and 2 others together" in text
    assert "group:" not in text
    cut = msgspec.structs.replace(found, stack=stack, waterfall=())
    said = headline.by_what(cut)
    assert said.startswith(f"by {len(ids)} changes: {ids[0]} and "), "a search that was cut short has no waterfall"


def test_a_proof_comes_before_how_it_was_told_from_chance():
    trial = next(one for one in sample.results("try").trials if one.verdict is Verdict.FASTER)
    trial = msgspec.structs.replace(
        trial, reason="the step is larger than what dithers cause", effect=Effect(True, "alg: self-tests disabled")
    )
    assert tables.proof(trial).startswith("alg: self-tests disabled; ")


def test_with_what_a_board_adds_the_answer_is_said_too():
    """The times alone may be 3.6 times as fast where a board's console and medium make 1.6 of it."""
    found = sample.results("stack")
    line = next(one for one in headline.modelled_lines(found) if one.startswith("with that added (modelled): "))
    rows = {row.subject: row for row in found.modelled.rows}

    def sums(line_times, read_times):
        return (
            found.base.middle_ns + rows["base"].added_ns(line_times, read_times),
            found.final.middle_ns + rows["stack"].added_ns(line_times, read_times),
        )

    boards = [
        sums(one, other) for one in (LINE_TIMES.low, LINE_TIMES.high) for other in (READ_TIMES.low, READ_TIMES.high)
    ]
    for side in (0, 1):
        ends = sorted(board[side] / 1e6 for board in boards)
        assert f"{ends[0]:.1f} to {ends[-1]:.1f}" in line
    times = sorted(before / after for before, after in boards)
    assert f"{times[0]:.2f} to {times[-1]:.2f} times as fast" in line


def test_what_was_given_up_stands_before_and_after_in_every_report():
    lost = Contrast(kind="protection", subject="Spectre V2", before="Mitigation: Retpolines <b>", after="Vulnerable")
    unit = Contrast(kind="unit", subject="a.service", before="started", after="not started", leave="was let in")
    shown = msgspec.structs.replace(results(), contrasts=(lost, unit))
    title = "Security and function, before and after: what differs"
    text = " ".join(to_text(terminal.results_view(shown), width=200).split())
    assert title in text
    assert "protection: Spectre V2 Mitigation: Retpolines <b> Vulnerable" in text
    assert "unit: a.service started not started was let in" in text
    assert "| unit: a.service | started | not started | was let in |" in markdown.render(shown)
    html = page.render(shown)
    data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', html, re.DOTALL)[1])
    assert data["tables"]["contrast"]["caption"] == title
    assert json.loads(msgspec.json.encode(headline.said(shown)))["results"]["contrasts"][1]["subject"] == "a.service"
    assert (
        "contrast"
        not in json.loads(
            re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page.render(results()), re.DOTALL)[1]
        )["tables"]
    )
