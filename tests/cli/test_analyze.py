# SPDX-License-Identifier: MIT
"""`bootlab analyze`: golden text, exit codes, files written, hostile text, comparison."""

from __future__ import annotations

import json
import os
import sys
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bootlab.cli import __main__ as program
from bootlab.cli.analysis_request import SEPARATOR, plain_request
from bootlab.cli.analysis_run import run
from tests.logs import samples

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def analyze(capfd, monkeypatch, tmp_path: Path):
    """Run `bootlab analyze` in a folder with sample logs; return exit code, output and messages."""
    (tmp_path / "base.log").write_text(samples.BOOT)
    (tmp_path / "slower.log").write_text(samples.slower(samples.BOOT))
    (tmp_path / "graph.txt").write_text(samples.TRACE)
    (tmp_path / "hostile.log").write_bytes(samples.hostile())
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["bootlab", "analyze", *words])
        code = 0
        try:
            program.main()
        except SystemExit as end:
            code = int(end.code or 0)
        out, err = capfd.readouterr()
        return code, out, err

    return run


@pytest.mark.telling("analyze")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("analyze-boot", ["base.log"]),
        ("analyze-trace", ["graph.txt"]),
        ("analyze-compare", ["base.log", "slower.log"]),
        ("analyze-hostile", ["hostile.log"]),
    ],
)
def test_what_is_printed(analyze, name: str, words: list[str]):
    _code, out, _err = analyze(*words)
    text = "\n".join(line.rstrip() for line in out.splitlines()) + "\n"
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("BOOTLAB_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_no_control_character_of_a_log_reaches_the_terminal(analyze):
    _code, out, _err = analyze("hostile.log")
    assert not [c for c in out if ord(c) < 32 and c != "\n"]
    assert "\u202e" not in out
    assert "[bold red]{{ 7*7 }}" in out
    assert "</script>\\u202e" in out


def test_json_is_one_line_of_the_core(analyze):
    code, out, err = analyze("base.log", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert json.loads(out)["format"] == "bootlab-analysis"
    code, out, _err = analyze("base.log", "slower.log", "--json")
    made = json.loads(out)
    assert (code, made["format"], len(made["analyses"])) == (11, "bootlab-analyses", 2)
    assert {row["change"] for row in made["comparison"]["rows"]} >= {"slower", "same"}


def test_exit_codes(analyze):
    assert analyze("base.log")[0] == 0
    assert analyze("base.log", "base.log")[0] == 0
    assert analyze("base.log", "slower.log")[0] == 11
    assert analyze("slower.log", "base.log")[0] == 0
    assert analyze("base.log", "slower.log", "--threshold-ms", "400")[0] == 0
    assert analyze("base.log", "--budget", "kernel=2s")[0] == 0
    assert analyze("base.log", "--budget", "kernel=100ms")[0] == 11
    assert analyze("base.log", "--budget", "never_seen=100ms")[0] == 11
    for wrong in (
        ["absent.log"],
        ["base.log", "--budget", "kernel"],
        ["--", "base.log"],
        ["-", "-"],
        ["base.log", "--top", "0"],
    ):
        code, _out, err = analyze(*wrong)
        assert code == 2, wrong
        assert "hint:" in err or "Usage" in err or "Error" in err


def test_groups_are_compared_with_median_and_spread(analyze):
    code, out, _err = analyze("base.log", "base.log", "--", "slower.log", "slower.log")
    assert code == 11
    assert "2 boots against 2 of the base" in out
    assert "600.000 (600..600)" in out


def test_further_files_are_compared_with_the_first(analyze, tmp_path: Path):
    code, out, _err = analyze("base.log", "slower.log", "base.log", "--junit", "junit.xml", "--html", "page.html")
    assert code == 11
    assert out.startswith("2 files against base.log")
    assert "1101.000 (+300.000)" in out
    suites = ET.parse(tmp_path / "junit.xml").getroot()
    assert [(suite.get("name"), suite.get("failures") != "0") for suite in suites] == [
        ("bootlab analyze slower.log", True),
        ("bootlab analyze base.log", False),
    ]
    assert "slower.log against base.log" in (tmp_path / "page.html").read_text()
    made = json.loads(analyze("base.log", "slower.log", "base.log", "--json")[1])
    assert (made["comparison"], len(made["comparisons"])) == (None, 2)
    code, out, _err = analyze("base.log", "slower.log", "base.log", "--apart", "--top", "1")
    assert code == 0
    assert out.count("boot-log, 25 lines") == 3
    assert "against" not in out


def test_bounds_alone_give_no_verdict_on_the_whole(analyze, tmp_path: Path):
    _code, out, _err = analyze("base.log", "base.log")
    said = " ".join(out.split())
    assert said.startswith("what both sides time: no slower and no faster (801 ms to 801 ms).")
    assert "No verdict on the whole boot, of which only bounds are known (base.log: at least 801 ms" in said
    # The same boots with a stamp on the prompt are compared as a whole.
    for name, log in (("a.log", samples.BOOT), ("b.log", samples.slower(samples.BOOT))):
        lines = [f"[{number / 10:.6f} 0.1] {line}" for number, line in enumerate(log.splitlines())]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    assert "bounds" not in analyze("a.log", "b.log")[1]


class Screen(StringIO):
    """A terminal that keeps what is shown on it."""

    def isatty(self) -> bool:
        """Say that somebody looks at it."""
        return True


@pytest.mark.parametrize(("height", "last"), [(20, "The largest cost found is 2.00 s"), (500, "left out 2 lines")])
def test_the_answer_is_the_last_that_a_terminal_shows(analyze, monkeypatch, height: int, last: str):
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    for name, value in (("COLUMNS", "300"), ("LINES", str(height)), ("TERM", "xterm"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    analyze("base.log")
    assert last in screen.getvalue().splitlines()[-1]


def test_a_report_about_units_ends_with_its_answer(analyze, monkeypatch, tmp_path: Path):
    (tmp_path / "blame.txt").write_text("".join(f"{number}s unit{number}.service\n" for number in range(40, 1, -1)))
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    for name, value in (("COLUMNS", "300"), ("LINES", "10"), ("TERM", "xterm"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    analyze("blame.txt")
    assert (
        "The largest of the starts that were read is 40.0 s: systemd starts the unit `unit40"
        in screen.getvalue().splitlines()[-1]
    )


def test_the_verdict_is_the_last_that_a_terminal_shows(analyze, monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    for name, value in (("COLUMNS", "300"), ("LINES", "10"), ("TERM", "xterm"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    analyze("base.log", "slower.log", "--budget", "kernel=1s")
    verdict, budget, bounds = screen.getvalue().splitlines()[-3:]
    assert "what both sides time: 300 ms slower" in verdict
    assert "budget kernel: 1101.000 ms, limit 1000.000 ms: NOT KEPT" in budget
    assert "No verdict on the whole boot" in bounds


def test_thresholds(analyze):
    assert analyze("base.log", "slower.log", "--threshold-percent", "90", "--threshold", "initcall=1s")[0] == 0
    assert analyze("base.log", "slower.log", "--threshold", "stage=1s")[0] == 11
    assert analyze("base.log", "slower.log", "--threshold", "stage=1s", "--threshold", "initcall=1s,1%")[0] == 0
    assert analyze("base.log", "slower.log", "--threshold", "nonsense=1s")[0] == 2
    assert analyze("graph.txt", "graph.txt")[0] == 0
    assert "nothing in common" not in analyze("graph.txt", "base.log")[1]


def test_plain_calls_and_typer_understand_the_same(analyze, monkeypatch):
    request = plain_request(["a", "--", "b", "--top=3", "-"])
    assert request is None
    request = plain_request(["a", "--top=3", "--budget", "k=1s", "--budget=l=2s", "--", "b"])
    assert request is not None
    assert (request.files, request.top, request.budget) == (["a", SEPARATOR, "b"], 3, ["k=1s", "l=2s"])
    for unknown in (["--nonsense"], ["a", "--top", "x"], ["a", "--top"], [], ["a", "-h"]):
        assert plain_request(unknown) is None
    plain = analyze("base.log", "--top", "2")
    monkeypatch.setattr("bootlab.cli.analysis_request.plain_request", lambda _args: None)
    assert analyze("base.log", "--top", "2") == plain
    assert "\n1 boot against 2" in analyze("base.log", "base.log", "--", "slower.log")[1]


def test_standard_input(analyze, monkeypatch):
    reader, writer = os.pipe()
    os.write(writer, samples.BOOT.encode())
    os.close(writer)
    saved = os.dup(0)
    os.dup2(reader, 0)
    try:
        code, out, _err = analyze("-")
    finally:
        os.dup2(saved, 0)
        os.close(saved)
        os.close(reader)
    assert code == 0
    assert "6.6.0 Sample Board" in out


def test_files_are_written(analyze, tmp_path: Path):
    names = ["svg", "perfetto", "chrome", "folded", "speedscope", "html"]
    words = [word for name in names for word in (f"--{name}", f"out.{name}")]
    code, out, err = analyze("base.log", *words)
    assert (code, out) == (0, "")
    assert err.count("wrote out.") == len(names)
    assert all((tmp_path / f"out.{name}").stat().st_size > 100 for name in names)
    code, _out, err = analyze("base.log", "--svg", "absent/folder.svg")
    assert code == 2
    assert "cannot write" in err


def test_junit(analyze, tmp_path: Path):
    code, _out, _err = analyze("base.log", "slower.log", "--budget", "kernel=900ms", "--junit", "out.xml")
    assert code == 11
    suite = ET.parse(tmp_path / "out.xml").getroot()[0]
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed[0] == "kernel"
    assert "initcall:slow_init" in failed
    assert suite.get("failures") == str(len(failed))


def test_csv_goes_to_standard_output(monkeypatch, tmp_path: Path):
    (tmp_path / "base.log").write_text(samples.BOOT)
    out = TextIOWrapper(BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    request = plain_request([str(tmp_path / "base.log"), "--csv"])
    assert request is not None
    assert run(request) == 0
    assert b"slow_init" in out.buffer.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("words", [(), ("--json",), ("--apart", "other.txt")])
def test_nothing_in_it_is_no_success(analyze, words: tuple[str, ...]):
    Path("rubbish.txt").write_text("dear reader\n")
    Path("other.txt").write_text("hello\n")
    code, out, err = analyze("rubbish.txt", *words)
    assert code == 2
    assert "error: rubbish.txt: no boot log, trace or report was recognised in it" in err
    assert "hint:" in err
    assert ("other.txt" in err) == ("other.txt" in words)
    if words == ("--json",):
        assert json.loads(out)["parts"] == []


def test_lines_that_somebody_chose_are_no_success(analyze):
    Path("chosen.txt").write_text("$ dmesg | grep mmc\n[    1.100000] mmc0: a\n[  300.100000] mmc0: b\n")
    code, out, err = analyze("chosen.txt")
    assert code == 2
    assert "excerpt" in out
    assert "error: chosen.txt: no boot log, trace or report was recognised in it" in err


def test_one_good_file_is_a_success(analyze):
    Path("rubbish.txt").write_text("dear reader\n")
    assert analyze("base.log", "rubbish.txt", "--apart")[0] == 0


def test_a_page_of_what_cannot_be_compared_is_refused(analyze):
    code, _, err = analyze("base.log", "graph.txt", "--html", "x.html")
    assert code == 2
    assert "nothing of base.log and graph.txt can be compared" in err
    assert not Path("x.html").exists()


@pytest.mark.parametrize("option", ["--threshold-ms", "--threshold-percent"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_threshold_that_is_no_number_is_refused(analyze, option: str, value: str):
    code, _, err = analyze("base.log", "slower.log", option, value)
    assert code == 2
    assert option in err


def test_from_a_log_to_a_system(analyze, tmp_path: Path):
    assert analyze("base.log", "--system", "a.toml")[0] == 0
    assert "login:" in (tmp_path / "a.toml").read_text()
    assert analyze("base.log", "--system", "a.toml")[0] == 2


def test_a_misspelt_budget_names_the_nearest(analyze):
    code, out, _ = analyze("base.log", "--budget", "initcall:slow_inti=1s")
    assert code == 11
    assert "nearest: initcall:slow_init" in out
