# SPDX-License-Identifier: MIT
"""`bootlab lpj` on logs: value, file, judgement, exit codes; and tables put into pages."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from bootlab.cli import __main__ as program
from bootlab.cli.markdown_page import put
from bootlab.errors import UserError
from tests.logs.test_delay_loop import CALIBRATED, COMPUTED, PRESET, log


@pytest.fixture
def lpj(capfd, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["bootlab", "lpj", *words])
        try:
            program.main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        said = capfd.readouterr()
        return code, said.out, said.err

    (tmp_path / "boot.log").write_bytes(log(CALIBRATED))
    (tmp_path / "slow.log").write_bytes(log(CALIBRATED.replace("62.25", "31.12").replace("311296", "155648")))
    (tmp_path / "preset.log").write_bytes(log(PRESET, "lpj=311296"))
    (tmp_path / "computed.log").write_bytes(log(COMPUTED))
    return run


def test_a_value_is_read_stored_and_fits(lpj):
    code, text, said = lpj("read", "--log", "boot.log", "--output", "lpj.json")
    assert code == 0
    assert "lpj=311296  (calibrated at boot)" in text
    assert "90.117 ms" in text
    assert "wrote lpj.json" in said
    code, text, _ = lpj("validate", "--log", "boot.log", "--stored", "lpj.json", "--json")
    assert code == 0
    assert json.loads(text)["judgement"] == "fits"


def test_a_value_that_does_not_fit_ends_with_one_and_can_be_stored_anew(lpj):
    lpj("read", "--log", "boot.log", "--output", "lpj.json")
    code, text, _ = lpj("validate", "--log", "slow.log", "--stored", "lpj.json", "--output", "new.json")
    assert code == 12
    assert "2.000 times slower" in text
    assert "store again: lpj=155648" in text
    assert lpj("validate", "--log", "slow.log", "--stored", "new.json")[0] == 0


@pytest.mark.parametrize("name", ["preset.log", "computed.log"])
def test_what_was_not_measured_is_neither_stored_nor_judged(lpj, name):
    code, _, said = lpj("read", "--log", name, "--output", "lpj.json")
    assert code == 5
    assert "hint:" in said
    lpj("read", "--log", "boot.log", "--output", "lpj.json")
    code, _, said = lpj("validate", "--log", name, "--stored", "lpj.json")
    assert code == 5
    assert "lpj=0" in said


@pytest.mark.parametrize(
    "words",
    [
        ("read",),
        ("read", "x.toml", "--log", "boot.log"),
        ("validate", "--log", "boot.log"),
        ("test",),
        ("rates", "--log", "boot.log"),
        ("read", "--log", "none.log"),
        ("read", "--log", "boot.log", "--boot", "7"),
        ("validate", "--log", "boot.log", "--stored", "boot.log"),
    ],
)
def test_wrong_words_end_with_two_and_a_hint(lpj, words):
    code, out, said = lpj(*words)
    assert (code, out) == (2, "")
    assert "hint:" in said


def test_a_table_goes_into_its_section(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# a\n\n<!-- t -->\nold\n<!-- /t -->\n\nend\n")
    put(page, "t", "| new |\n")
    assert page.read_text() == "# a\n\n<!-- t -->\n\n| new |\n\n<!-- /t -->\n\nend\n"
    put(page, "other", "whole\n")
    assert page.read_text() == "whole\n"
    page.write_text("<!-- t -->\n")
    with pytest.raises(UserError, match="has no end"):
        put(page, "t", "x")
    with pytest.raises(UserError, match="cannot write"):
        put(tmp_path / "none" / "x.md", "t", "x")


RECORDED = str(Path(__file__).resolve().parents[1] / "replay" / "lpj.toml")


def test_the_five_tests_pass_on_recorded_boots(lpj, tmp_path):
    code, text, _ = lpj("test", RECORDED, "--json", "--markdown", "tests.md")
    assert code == 0
    matrix = json.loads(text)
    assert [row["ok"] for row in matrix["rows"]] == [True] * 5
    assert [row["got"] for row in matrix["rows"]][2:] == ["preset 311296", "preset 311297", "calibrates 311296"]
    assert matrix["rows"][2]["saved_ns"] == 87_655_056
    assert "| 5 both, lpj=0 on the command line |" in (tmp_path / "tests.md").read_text()


def test_a_preset_appended_to_the_boot_loaders_line_wins_on_recorded_boots(lpj):
    code, text, _ = lpj("test", RECORDED, "--way", "appended")
    assert code == 12
    assert "3 of 5 tests passed" in text


def test_the_saving_falls_with_the_tick_rate_on_recorded_boots(lpj):
    code, text, _ = lpj("rates", RECORDED, "--hz", "250", "--hz", "1000", "--json")
    assert code == 0
    found = json.loads(text)
    assert {row["hz"]: round(row["saved_ns"] / 1e6) for row in found["rows"]} == {250: 38, 1000: 11}
    # Recorded without dithers: nothing says what neutral changes cause, and the footnote admits it.
    assert "without dithers" in lpj("rates", RECORDED, "--hz", "250", "--hz", "1000")[1]


def test_a_recorded_boot_is_read_and_validated(lpj):
    assert lpj("read", RECORDED, "--output", "lpj.json")[0] == 0
    code, text, _ = lpj("validate", RECORDED, "--stored", "lpj.json")
    assert code == 0
    assert text.startswith("fits")


def test_a_way_that_the_architecture_has_not_is_named(lpj):
    code, _, said = lpj("test", RECORDED, "--way", "in-front")
    assert code == 2
    assert "fallback, appended" in said
