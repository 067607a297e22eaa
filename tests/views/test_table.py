# SPDX-License-Identifier: MIT
"""A comparison in its four forms: whole figures, every row's state, and nothing hostile that a console put there."""

from __future__ import annotations

import csv as csv_module
import io
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.model.comparison import Column, Comparison, LeftOut, Row, Table
from bootlab.views import text_table as module
from bootlab.views.table import cells, csv, markdown, page, terminal
from bootlab.views.text_table import cell, text_table
from tests.rendered import to_text

MS = 1_000_000
COLUMNS = (
    Column(key="title", title="root"),
    Column(key="goal_ns", title="from reset", kind="ms", under="ms"),
    Column(key="saved_ns", title="saved", kind="signed-ms"),
    Column(key="image_bytes", title="image", kind="bytes", note="files"),
    Column(key="share", title="of the first", kind="percent"),
    Column(key="address", title="at", kind="hex"),
    Column(key="proof", title="proof", wide=True),
)
GOOD = Row(
    id="cramfs",
    title="CRAMFS",
    proof="mapped from 0x44003000",
    values={
        "goal_ns": 2120 * MS, "saved_ns": -5 * MS, "image_bytes": 1 << 20, "files": "in 4", "share": 0.25,
        "address": 0x40300A04, "published": "=SUM(1)",
    },
)  # fmt: skip
BAD = Row(id="ext2", title="ext2", ok=False, proved=False, reason="=no | <b>root\x1b[31m")
UNPROVED = Row(id="x", title="x\x1b[1m", proved=False, proof="mounted as cramfs", values={"goal_ns": 7 * MS})
FOUND = Comparison(
    kind="filesystems", system="board", clock="virtual", headline="board <i>\x1b[0m: 1 of 3", footnote="one\ntwo\x1b",
    facts={"tree_files": 3}, columns=COLUMNS, tables=(Table(columns=tuple(c.key for c in COLUMNS)),),
    rows=(GOOD, BAD, UNPROVED), left_out=(LeftOut(id="xfs", title="XFS", reason="the kernel lacks <XFS>"),),
)  # fmt: skip


def test_of_many_that_were_left_out_only_all_says_why():
    many = tuple(LeftOut(id=f"r{n}", title=f"row {n}", reason=f"because {n}") for n in range(9))
    found = msgspec.structs.replace(FOUND, left_out=many)
    text = to_text(terminal.view(found), width=150)
    assert "left out: row 0, row 1, row 2 and 6 more (--all says why)" in text
    assert "because" not in text
    whole = to_text(terminal.view(found, everything=True), width=150)
    assert all(f"left out: row {n}: because {n}" in whole for n in range(9))
    assert text.splitlines()[-1] == whole.splitlines()[-1]
    assert all(f"because {n}" in form for n in range(9) for form in (markdown.page(found), page.page(found)))


def test_a_table_of_nothing_but_wide_columns_is_drawn_whole():
    wide = msgspec.structs.replace(FOUND, tables=(Table(columns=("title", "proof"), title="Proofs"),))
    assert "mapped from 0x44003000" in to_text(terminal.view(wide), width=80)


def test_the_terminal_ends_with_the_answer_and_says_what_not_to_rely_on():
    text = to_text(terminal.view(FOUND), width=150)
    for words in (
        "2120.000",
        "\u22125.000",
        "1.0 MiB in 4",
        "25.0 %",
        "0x40300a04",
        "ext2: =no",
        "not proved: mounted",
    ):
        assert words in text
    assert "left out: XFS: the kernel lacks <XFS>" in text
    assert "mapped from" not in text
    assert "\x1b" not in text
    assert text.splitlines()[-1].startswith("board <i>")


@pytest.mark.parametrize("width", [60, 80, 100])
def test_figures_stay_whole_on_a_narrow_terminal(width):
    text = to_text(terminal.view(FOUND), width=width)
    assert all(len(line) <= width for line in text.splitlines())
    for whole in ("2120.000", "1.0 MiB in 4", "0x40300a04"):
        assert whole in text


def test_markdown_keeps_its_columns():
    lines = markdown.page(FOUND).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 5
    assert {line.replace(r"\|", "").count("|") for line in table} == {8}
    assert not any("<b>" in line or "\x1b" in line for line in lines)
    assert "* XFS: the kernel lacks \\<XFS\\>" in lines


def test_a_section_has_no_heading_of_its_own():
    assert markdown.section(FOUND).startswith("| root |")


def test_csv_has_plain_numbers_and_starts_no_formula():
    rows = list(csv_module.DictReader(io.StringIO(csv.text(FOUND))))
    assert (rows[0]["goal_ns"], rows[0]["image_bytes"], rows[0]["published"]) == ("2120000000", "1048576", "'=SUM(1)")
    assert rows[1]["reason"].startswith("'=")
    assert rows[1]["goal_ns"] == ""


def test_the_page_is_escaped_and_names_the_doubtful():
    html = page.page(FOUND)
    assert "<b>root" not in html
    assert "\\u003cb\\u003eroot" in html
    assert "<i>" not in html
    assert "\x1b" not in html
    assert html.count("Not to be relied on: ") == 2


def test_a_table_shows_the_rows_of_its_group():
    rows = tuple(msgspec.structs.replace(GOOD, id=str(n), values={"group": n, "goal_ns": n * MS}) for n in (1, 2))
    tables = tuple(Table(title=f"{n} timers", columns=("goal_ns",), group=n) for n in (1, 2))
    found = msgspec.structs.replace(FOUND, rows=rows, tables=tables)
    assert [len(found.rows_of(table)) for table in tables] == [1, 1]
    assert markdown.page(found).count("2.000") == 1


def test_json_keeps_facts_and_values_beside_the_head():
    document = FOUND.document()
    assert (document["format"], document["version"], document["tree_files"]) == ("bootlab-filesystems", 2, 3)
    assert document["rows"][0]["goal_ns"] == 2120 * MS
    assert document["left_out"] == [{"id": "xfs", "title": "XFS", "reason": "the kernel lacks <XFS>"}]


def test_a_comparison_survives_its_document():
    assert msgspec.json.decode(msgspec.json.encode(FOUND), type=Comparison) == FOUND


VALUES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e18, 1e18) | st.text()


@given(st.text(), st.text(), st.dictionaries(st.sampled_from([c.key for c in COLUMNS] + ["files"]), VALUES))
def test_any_value_is_drawn_in_every_form(title, reason, values):
    row = Row(id="r", title=title, ok=False, reason=reason, values=values)
    found = msgspec.structs.replace(FOUND, rows=(row,))
    for text in (to_text(terminal.view(found), width=80), markdown.page(found), page.page(found)):
        assert "\x1b" not in text
        assert "\x07" not in text
    assert len(list(csv_module.reader(io.StringIO(csv.text(found))))) == 2
    assert all("\n" not in cells.text(column, row) for column in COLUMNS)


CONTENT = st.text(alphabet="ab ─░é漢≥1.", max_size=50).map(cell) | st.sampled_from(["", "12.500", "≤ 3"])


@given(st.lists(st.tuples(CONTENT, CONTENT, CONTENT), max_size=5), st.integers(60, 160), st.text("t ", max_size=70))
def test_a_plain_table_is_drawn_as_rich_draws_it(rows: list[tuple[object, ...]], width: int, title: str):
    table = text_table(title, "event", ">at, ms", "~evidence")
    for row in rows:
        table.add_row(*row)
    drawn = to_text(table, width=width)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_plain_lines", lambda *_: None)
        assert drawn == to_text(table, width=width)


@pytest.mark.parametrize("width", [80, 60])
def test_a_text_table_cuts_no_figure(width: int):
    figures = [[f"{row * 7919 + column * 104729}.{column:03}" for column in range(9)] for row in range(3)]
    table = text_table("Accounts", ">timers", *(f">figure {n}" for n in range(8)), "~chain")
    for row in figures:
        table.add_row(*row, cell("a > b > c " * 9))
    lines = to_text(table, width=width).splitlines()
    assert all(len(line) <= width for line in lines)
    shown = " ".join(lines).split()
    assert all(figure in shown for row in figures for figure in row)
    # What stands below begins with what the row is called by.
    assert sum(line.split()[:1] == ["timers"] for line in lines) > 1
    assert lines[0] == "Accounts"


def test_a_wide_terminal_has_one_table():
    table = text_table("", "quantity", *(f">figure {n}" for n in range(8)))
    table.add_row("kernel", *("1500.000" for _ in range(8)))
    assert sum("quantity" in line for line in to_text(table, width=200).splitlines()) == 1


def test_every_boot_of_a_board_is_drawn_beside_the_exact_one():
    kernel = Row(id="kernel", title="kernel", each_ns=(5 * MS, 6 * MS), values={"exact_ns": 4 * MS, "unsure_ns": MS})
    whole = Row(id="all", title="all", each_ns=(9 * MS, 8 * MS), values={"exact_ns": None})
    text = page.page(msgspec.structs.replace(FOUND, rows=(kernel, GOOD, whole)))
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    (dots,) = (part for part in data["parts"] if part["title"] == "Every boot")
    assert "Dashed: the exact boot" in dots["subtitle"]
    assert [(one["label"], one["lines"], one["places"]) for one in dots["trends"]] == [
        ("all: 2 boots", [], 3),
        ("kernel: 2 boots", [["exact", 4 * MS]], 1),
    ]
    assert [point[2] for point in dots["trends"][1]["points"]] == [5 * MS, 6 * MS]
