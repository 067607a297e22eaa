# SPDX-License-Identifier: MIT
"""Names that no file can have, wherever a file is meant: one sentence, and no traceback."""

from __future__ import annotations

import sys

import pytest

from bootlab.cli.__main__ import main
from bootlab.errors import EnvironmentFault, UserError, of_a_file

LONG = "a" * 300
COMMANDS = [
    ["analyze", LONG],
    ["analyze", f"{LONG}/boot.log"],
    ["boot", f"{LONG}.toml"],
    ["boot", "system.toml"],
    ["trace", LONG],
    ["compare", LONG, LONG],
    ["gate", LONG, LONG],
    ["report", "last", "--store", LONG],
    ["report", LONG],
    ["where", "x", "--source", LONG],
    ["rootfs", "check", LONG],
    ["timers", "stress", "--read", LONG],
    ["history", "show", "--store", LONG],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: f"{words[0]}-{len(words)}")
def test_a_name_that_no_file_can_have(tmp_path, monkeypatch, capsys, words):
    (tmp_path / "system.toml").write_text(
        f'name = "t"\n[kernel]\nimage = "k"\n[initramfs]\ndir = "{LONG}"\n[goal]\nconsole = "x"\n'
    )
    (tmp_path / "k").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["bootlab", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in {2, 3}
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    ("fault", "kind", "part"),
    [
        (FileNotFoundError(2, "No such file or directory", "x"), UserError, "x: No such file"),
        (OSError(36, "File name too long", b"a" * 300), UserError, "aaa...aaa"),
        (PermissionError(13, "Permission denied", "x"), UserError, "x: Permission"),
        (OSError(28, "No space left on device", "x"), EnvironmentFault, "x: No space"),
    ],
)
def test_what_the_system_says_of_a_file(fault, kind, part):
    said = of_a_file(fault)
    assert isinstance(said, kind)
    assert part in said.message
    assert said.hint


def test_an_error_that_names_no_file_is_not_hidden():
    assert of_a_file(OSError(5, "Input/output error")) is None
