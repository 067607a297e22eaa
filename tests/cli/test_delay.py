# SPDX-License-Identifier: MIT
"""`bootlab delay`: what the words on the command line come to; the risk is said with every result."""

import json

import pytest
from typer.testing import CliRunner

from bootlab import api
from bootlab.cli import __main__ as program
from bootlab.cli.delay import _duration_ns
from bootlab.errors import UserError
from bootlab.kernelsource.delay_patch import delay_patch
from tests.conftest import REPLAYED

TEXT = "void f(void)\n{\n\tmdelay(50); /* \x1b[31m */\n\tudelay(7);\n}\n"


@pytest.mark.parametrize(("text", "ns"), [("5ms", 5_000_000), ("0.5 us", 500), ("1s", 10**9), ("250us", 250_000)])
def test_durations(text, ns):
    assert _duration_ns(text) == ns


@pytest.mark.parametrize("text", ["", "5", "ms", "0ms", "-5ms", "1e3ms", "5 minutes", "9" * 400 + "ms", "0.1ns"])
def test_what_is_no_duration(text):
    with pytest.raises(UserError, match="not a time above zero"):
        _duration_ns(text)


def test_the_patch_is_shown_with_its_risk(monkeypatch, tmp_path):
    def patched(_self, function, to_ns, *, sleep, only):
        return delay_patch(TEXT, file="x.c", function=function, line=1, to_ns=to_ns, sleep=sleep, only=only)

    monkeypatch.setattr(api.System, "delay_patch", patched)
    words = ["delay", str(REPLAYED), "f", "--to", "5ms", "--dry-run"]
    file = tmp_path / "f.patch"
    said = CliRunner().invoke(program.app, [*words, "--output", str(file)])
    assert said.exit_code == 0, said.output
    assert "+\tmdelay(5);" in said.stdout
    assert "stays: udelay(7)" in said.stdout
    assert "hardware must confirm" in said.stdout
    assert "\x1b[31m" not in said.stdout
    assert "\x1b[31m" in file.read_text()
    document = json.loads(CliRunner().invoke(program.app, [*words, "--json"]).stdout)
    assert "hardware must confirm" in document["risk"]
    assert document["patch"]["replaced"] == [{"line": 3, "before": "mdelay(50)", "after": "mdelay(5)"}]
