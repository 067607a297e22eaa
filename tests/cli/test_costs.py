# SPDX-License-Identifier: MIT
"""`--costs` on the command line: where it cannot be meant it is refused, not ignored."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from bootlab.cli.__main__ import app
from bootlab.errors import UserError


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["try", "--board", "board.toml", "--costs", "115200", "quiet"], "hold its costs already"),
        (["gate", "last", "--against", "history", "--costs", "115200"], "counted from boots of both sides"),
        (["try", "tests/replay/system.toml", "--costs", "floppy"], "'floppy' is not known of a board"),
        (["stack", "tests/replay/system.toml", "--costs", "missing.toml"], "cannot be read"),
    ],
)
def test_refused(words, said, tmp_path):
    found = CliRunner().invoke(app, [*words, "--store", str(tmp_path)])
    assert isinstance(found.exception, UserError)
    assert said in found.exception.message
