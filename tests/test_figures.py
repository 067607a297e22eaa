# SPDX-License-Identifier: MIT
"""Every published figure has a row that says what makes it, and each row can be followed."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys

import pytest

from bootlab import techniques
from tests.conftest import REPOSITORY

_SPEC = importlib.util.spec_from_file_location("figures", REPOSITORY / "scripts" / "figures.py")
figures = importlib.util.module_from_spec(_SPEC)
sys.modules["figures"] = figures
_SPEC.loader.exec_module(figures)

PATHS = re.compile(r"(?:examples|benchmarks|scripts|tests)/[\w./-]*\w")


def test_every_figure_has_its_row_and_every_row_its_figures():
    assert figures.faults() == []


def test_the_demo_of_the_readme_is_read_number_by_number():
    row = next(row for row in figures.rows() if row.name == "readme-demo")
    own = {one.text for one in figures.owned([row], figures.figures())[0][row.name]}
    goals = {one for one in own if re.fullmatch(r"\d+\.\d{3}", one) and float(one) > 900}
    assert goals - set(row.values) <= {"1454.825"}, "the sentence on the way is no part of the result"


@pytest.mark.parametrize("row", figures.rows(), ids=lambda row: row.name)
def test_what_a_row_names_is_there(row):
    said = f"{row.command} {row.why} {row.needs}"
    assert [path for path in PATHS.findall(said) if not (REPOSITORY / path).exists()] == []
    words = shlex.split(row.command)
    if words[:1] == [".venv/bin/bootlab"] and words[1] in {"try", "stack", "ladder"}:
        named = [word for word in words[3:] if re.fullmatch(r"[a-z][a-z0-9-]+", word)]
        assert all(techniques.get(one) for one in named)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "scripts").mkdir()
    (tmp_path / "README.md").write_text("# A\n\n3582.629 to 983.289 ms: 3.6 times\n\n## B\n\n12 %\n")

    def with_table(text):
        (tmp_path / "scripts" / "figures.toml").write_text(text)
        return figures.faults(tmp_path)

    return with_table


def test_a_figure_that_nobody_makes(folder):
    assert folder('[a]\npage = "README.md"\nheadings = ["A"]\ncommand = "true"\n') == [
        "README.md:7: 12: no row says what makes it"
    ]


def test_a_row_whose_figures_are_gone(folder):
    text = '[a]\npage = "README.md"\ncommand = "true"\n[a.values]\n"1.5" = "a"\n[b]\npage = "docs/b.md"\nwhy = "w"\n'
    assert sorted(folder(text)) == ["a: README.md does not say 1.5", "b: docs/b.md has no such figure any more"]


def test_a_row_says_how_or_why_not(folder):
    with pytest.raises(figures.WrongTable, match="only one of both: a"):
        folder('[a]\npage = "README.md"\ncommand = "true"\nwhy = "w"\n')


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("3582.629 (3582.042 to 3584.036 in 21 boots) to 983.289", ["3582.629", "3582.042", "3584.036", "983.289"]),
        ("| x | \N{MINUS SIGN}1322.552 ms | +2.4 MiB (+105.5 %) |", ["\N{MINUS SIGN}1322.552", "+105.5"]),
        ("3.6 times as fast; 25.7 s; 50 µs; 19,744.918 virtual ms", ["3.6", "25.7", "50", "19,744.918"]),
        ("SeaBIOS (version 1.16.2-debian-1.16.2-1), kernel 6.1, QEMU 10, 2 messages", []),
    ],
)
def test_what_a_figure_is(line, found):
    assert [one[0] for one in figures.FIGURE.finditer(line)] == found


def test_then_and_now():
    document = {"results": {"base": {"goal_ns": 3582629000}, "bars": [{"ids": ["a"], "after_ns": 5}, {"ids": ["b"]}]}}
    assert figures.now(document, "results.base.goal_ns", "3582.629") == "3582.629"
    assert figures.now(document, "results.base.goal_ns", "3,582.6") == "3,582.6"
    assert figures.at(document, "results.bars[ids=a].after_ns") == 5
    command = f"echo '{json.dumps(document)}'"
    row = figures.Row(name="r", page="README.md", command=command, values={"3.5": "results.base.goal_ns"})
    assert list(figures.made(row, [])) == [("3.5", "3582.6")]
    text = figures.Row(name="r", page="README.md", command="echo 12.04 ms and 7 %")
    own = [figures.Figure(page="README.md", line=1, heading="", text=one) for one in ("12", "8")]
    assert list(figures.made(text, own)) == [("12", "12"), ("8", "not in what the command says")], "a page rounds"
    held = figures.Row(name="r", page="README.md", command="true", holds=True)
    assert list(figures.made(held, own)) == [("12", "12"), ("8", "8")]
    with pytest.raises(subprocess.CalledProcessError):
        list(figures.made(figures.Row(name="r", page="README.md", command="false", holds=True), own))
