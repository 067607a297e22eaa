"""The table of steps in its four forms."""

import csv
import io

from rich.console import Console

from bootlab.model.steps import StepRow, Steps
from bootlab.report import steps_text

MS = 1_000_000
FOUND = Steps(
    system="video", clock="virtual", goal="first frame",
    rows=(
        StepRow(
            name="as-it-is", title="as it is", proved=True, run_ns=1000 * MS, goal_ns=5000 * MS,
            application_bytes=100_000,
            library_bytes=300 << 20, libraries=201, processes=3, tree_files=7000, tree_bytes=350 << 20,
        ),
        StepRow(
            name="small", title="small <b>", proved=True, proof="shown: a | b", run_ns=1000 * MS, goal_ns=2000 * MS,
            libraries=0, library_bytes=0, published="=SUM(1)", marks_ns={"banner|": 5 * MS},
        ),
        StepRow(name="bad", title="bad", kept=False, reason="panic: \x1b[31mno init"),
    ),
)  # fmt: skip


def test_the_share_is_that_of_the_last_row_kept():
    assert FOUND.share == 0.25
    assert Steps(system="x", clock="virtual", goal="g").share is None


def test_the_terminal_tells_every_proof():
    out = io.StringIO()
    Console(file=out, width=200).print(steps_text.terminal(FOUND))
    text = out.getvalue()
    assert "4000.000 ms as it is, 1000.000 ms after all steps, 25.0 % of the first" in text
    assert "small <b>: shown: a | b" in text
    assert "bad: left out: panic:" in text
    assert "\x1b[31m" not in text


def test_markdown_keeps_its_columns():
    table = [line for line in steps_text.markdown(FOUND).splitlines() if line.startswith("|")]
    assert len(table) == 10
    assert {line.replace("\\|", "").count("|") for line in table[:5]} == {13}
    assert {line.replace("\\|", "").count("|") for line in table[5:]} == {3}
    assert table[8].endswith("| 5.000 |")
    assert "25.0 %" in table[3]
    assert "nothing" in table[3]


def test_csv_has_plain_numbers_and_no_formulas():
    rows = list(csv.DictReader(io.StringIO(steps_text.comma_separated(FOUND))))
    assert [row["use_ns"] for row in rows] == ["4000000000", "1000000000", ""]
    assert rows[1]["published"] == "'=SUM(1)"
    assert rows[2]["reason"] == "panic: \x1b[31mno init"


def test_the_page_escapes():
    page = steps_text.page(FOUND)
    assert "small &lt;b&gt;" in page
    assert "<td>5.000</td>" in page
    assert "<b>" not in page
