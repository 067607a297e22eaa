# SPDX-License-Identifier: MIT
"""`bootlab board calibrate`: what a board printed becomes a file; mistakes in its words are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.costs.named import costs_of
from bootlab.errors import UserError
from tests.costs.printed_lines import printed

VERB = ["board", "calibrate"]


def test_a_consoles_log_becomes_a_file_of_costs(tmp_path: Path) -> None:
    log, file = tmp_path / "console.log", tmp_path / "costs.toml"
    log.write_bytes(b"[    1.0] boot\r\n" + printed().replace(b"\n", b"\r\n") + b"login: ")
    done = CliRunner().invoke(app, [*VERB, "--from", str(log), "-o", str(file), "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["machine"]["title"] == "Made-up Board"
    assert document["processor"]["figures"]["mul"]["is"] == [4, 4.2]
    assert costs_of(str(file)).modelled == str(file)
    done = CliRunner().invoke(app, [*VERB, "--from", str(log), "-o", str(file)])
    assert "Made-up Board" in done.stdout
    assert "unknown: device_ns" in done.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--arch", "arm"], "belongs to --print-program"),
        (["--from", "console.log", "--ssh", "board"], "runs nothing on a board"),
        (["--from", "nowhere.log"], "nowhere.log cannot be read"),
        (["--print-program", "--arch", "m68k"], "no architecture 'm68k'"),
        (["nowhere.toml"], "nowhere.toml"),
    ],
)
def test_words_that_do_not_fit_are_refused(words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, [*VERB, *words])
    assert isinstance(done.exception, UserError)
    assert said in done.exception.message
