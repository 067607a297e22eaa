# SPDX-License-Identifier: MIT
"""A trimmed tree in four forms: sums, hostile names, methods that differ."""

from bootlab.experiments.trim_table import trim_table
from bootlab.model.accesses import MethodState
from bootlab.model.trim import Agreement, Missed, PutBack, Round, TreeSize, Trimmed, TrimmedFile
from bootlab.views.table import csv, markdown, page, terminal
from tests.rendered import to_text

EVIL = "/etc/[red]\x1b[31m|`\n"


def result(**more):
    files = (
        TrimmedFile(path="/bin/sh", kind="file", size_bytes=3 << 20, kept=True, reason="used", detail="read by init"),
        TrimmedFile(path=EVIL, kind="file", size_bytes=1 << 20, kept=False, reason="never used"),
    )
    given = {
        "system": "s",
        "clock": "virtual",
        "methods": (
            MethodState(name="fanotify", works=True, text=""),
            MethodState(name="atime", works=False, text="ro"),
        ),
        "agreements": (Agreement(method="fanotify", seen=1, missed=(Missed(path=EVIL, why="stat", explained=True),)),),
        "files": files,
        "before": TreeSize(names=2, files=2, file_bytes=4 << 20, image_bytes=2 << 20, goal_ns=2_000_000),
        "after": TreeSize(names=1, files=1, file_bytes=3 << 20, image_bytes=1 << 20, goal_ns=1_000_000),
        "rounds": (
            Round(dropped=1, broken="hang: x", put_back=(PutBack(path=EVIL, why="the console says"),)),
            Round(dropped=1, broken=""),
        ),
        "passed": True,
    }
    return Trimmed(**{**given, **more})


def test_terminal():
    shown = to_text(terminal.view(trim_table(result(), every_file=True)), width=160)
    assert "4.0 MiB in 2 files -> 3.0 MiB in 1 files (75.0 %); it passes its check" in shown
    assert "does not work here: ro" in shown
    assert "1: stat" in shown
    assert "Put back /etc/[red]" in shown
    assert "\x1b" not in shown
    assert "2.000" in shown
    assert "1.000" in shown
    assert "round 1: hang: x" in shown


def test_the_forms_escape_what_a_tree_may_hold():
    found = trim_table(result(), every_file=True)
    for text in (markdown.section(found), page.page(found)):
        assert "\x1b" not in text
    bars = {line.count("|") - line.count("\\|") for line in markdown.section(found).splitlines()}
    assert bars == {0, 4, 5, 8}
    assert "bytes_of" in csv.text(found)


def test_every_name_is_there_only_when_asked_for():
    assert [table.title for table in trim_table(result()).tables][-1] == "What goes, by folder"
    assert [row.id for row in trim_table(result(), every_file=True).rows][-2:] == ["/bin/sh", EVIL]


def test_a_dry_run_has_no_times():
    dry = result(passed=None, rounds=(), after=TreeSize(names=1, files=1, file_bytes=3 << 20))
    found = trim_table(dry)
    assert found.headline.endswith("not booted")
    assert found.rows[1].ns("goal_ns") is None
