# SPDX-License-Identifier: MIT
"""`bootlab trace NEW --compare BASE` on traces of a board: table, JSON, page, and what it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bootlab.cli import __main__ as program

TRACE = """\
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 0)               |  probe() {
 0)   2.000 us    |    udelay();
 0)   %s us    |    reset();
 0) + %s us   |  }
"""
BASE = TRACE % ("3.000", "15.000")
NEW = TRACE.replace("udelay", "usleep") % ("8.000", "19.000")


@pytest.fixture
def bootlab(capfd, monkeypatch, tmp_path: Path):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.txt").write_text(BASE)
    (tmp_path / "new.txt").write_text(NEW)
    (tmp_path / "log.txt").write_text("[    0.000000] Linux version 6.1.0 (x) #1\n[    1.0] end\n")

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["bootlab", "trace", *words])
        capfd.readouterr()
        try:
            program.main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capfd.readouterr()
        return code, printed.out, printed.err

    return run


def test_the_table_names_what_changed(bootlab):
    code, said, _err = bootlab("new.txt", "--compare", "base.txt")
    assert code == 0
    rows = {line.split()[0]: line.split() for line in said.splitlines() if line.startswith(" ")}
    assert rows["udelay"][1:4] == ["vanished", "-2.000", "us"]
    assert rows["usleep"][1:4] == ["new", "+2.000", "us"]
    assert rows["reset"][1:4] == ["slower", "+5.000", "us"]
    assert "15.000 us -> 19.000 us, +4.000 us" in said
    assert "functions: 1 new, 2 slower, 1 vanished, 0 faster, 0 same" in said


def test_json_adds_up_and_a_page_is_written(bootlab, tmp_path: Path):
    code, said, err = bootlab("new.txt", "--compare", "base.txt", "--json", "--html", "changes.html")
    found = json.loads(said)
    assert (code, found["format"], found["unit"]) == (0, "bootlab-trace-difference", "ns")
    work = found["new"]["work"] - found["base"]["work"]
    assert sum(row["self"] for row in found["functions"]) == work == 4000
    assert "wrote changes.html" in err
    assert "usleep" in (tmp_path / "changes.html").read_text()


def test_small_changes_are_left_out(bootlab):
    _code, said, _err = bootlab("new.txt", "--compare", "base.txt", "-t", "4.5", "--json")
    assert [row["function"] for row in json.loads(said)["functions"]] == ["reset"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("log.txt", "--compare", "base.txt"), "contains no calls"),
        (("new.txt", "--compare", "missing.txt"), "missing.txt"),
        (("new.txt", "--compare", "base.txt", "--perfetto", "x"), "--perfetto needs one trace"),
        (("new.txt", "--compare", "base.txt", "--html", "no/such/folder.html"), "cannot write"),
        ((".", "--compare", "base.txt"), "not a recording"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_hint(bootlab, words, says):
    code, said, err = bootlab(*words)
    assert (code, said) == (2, "")
    assert says in err
    assert "hint:" in err
