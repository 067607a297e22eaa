"""What an optimisation adds to a report: the waterfall, the floor, what else it does."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from bootlab.model.floor import Floor, FloorPart, Obstacle
from bootlab.model.question import Question
from bootlab.model.waterfall import Bar
from bootlab.techniques import get
from bootlab.techniques.base import Risk
from bootlab.views.run import floor, markdown, page, terminal
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
