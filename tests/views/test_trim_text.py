"""A trimmed tree as text: sums, hostile names, methods that differ."""

from bootlab.model.accesses import MethodState
from bootlab.model.trim import Agreement, Missed, PutBack, Round, TreeSize, Trimmed, TrimmedFile
from bootlab.views.run import trim_text
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
    shown = to_text(trim_text.terminal(result(), every_file=True), width=160)
    assert "4.0 MiB in 2 files -> 3.0 MiB in 1 files (75.0 %); it passes its check" in shown
    assert "does not work here: ro" in shown
    assert "1: stat" in shown
    assert "put back /etc/[red]" in shown
    assert "\x1b" not in shown
    assert "2.000" in shown
    assert "1.000" in shown


def test_markdown_escapes_what_a_tree_may_hold():
    text = trim_text.markdown(result())
    assert "\x1b" not in text
    assert all(line.count("|") - line.count("\\|") in {0, 4, 5} for line in text.splitlines())


def test_a_dry_run_has_no_times():
    dry = result(passed=None, rounds=(), after=TreeSize(names=1, files=1, file_bytes=3 << 20))
    assert "not booted" in trim_text.headline(dry)
    assert "goal" not in trim_text.markdown(dry)
