# SPDX-License-Identifier: MIT
"""What a wheel brings for the shell: man pages made of `--help`, and completion."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from bootlab.cli.__main__ import app

REPOSITORY = Path(__file__).resolve().parents[1]
SHARED = REPOSITORY / "bootlab.data" / "data" / "share"
VERBS = typer.main.get_command(app).commands


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return the folder into which the script wrote."""
    scripts = REPOSITORY / "scripts"
    made = tmp_path_factory.mktemp("man1")
    sys.path.insert(0, str(scripts))
    try:
        assert runpy.run_path(str(scripts / "make-man.py"))["main"]([str(made)]) == 0
    finally:
        sys.path.remove(str(scripts))
    return made


def test_every_verb_has_its_page(folder) -> None:
    names = {path.name for path in folder.iterdir()}
    assert {"bootlab.1", *(f"bootlab-{verb}.1" for verb in VERBS)} <= names
    assert "bootlab-board-compare.1" in names
    program = (folder / "bootlab.1").read_text(encoding="utf-8")
    for verb in VERBS:
        assert f".BR bootlab-{verb} (1)\n" in program.replace("\\-", "-")


def test_a_page_has_every_option_of_its_verb(folder) -> None:
    for verb, command in VERBS.items():
        text = (folder / f"bootlab-{verb}.1").read_text(encoding="utf-8").replace("\\-", "-")
        options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
        for option in options:
            assert option.opts[0] in text, (verb, option.opts)
        assert f"\n.B bootlab {verb}\n" in text
        assert "Example:" in text


def test_exit_codes_and_environment_stand_in_the_program_s_page(folder) -> None:
    text = (folder / "bootlab.1").read_text(encoding="utf-8")
    assert ".SH EXIT STATUS" in text
    assert "BOOTLAB_STORE" in text
    assert "41 to 59" in text


def test_a_formatter_takes_every_line(folder) -> None:
    if shutil.which("groff") is None:
        pytest.skip("no groff here")
    for path in sorted(folder.iterdir()):
        command = ["groff", "-man", "-Tascii", "-ww", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert not done.stderr, path.name
        assert done.stdout.strip()


def test_bash_completes_verbs_and_techniques(tmp_path) -> None:
    program = tmp_path / "bootlab"
    program.write_text(f"#!{sys.executable}\nfrom bootlab.cli.__main__ import main\nmain()\n", encoding="utf-8")
    program.chmod(0o755)
    script = SHARED / "bash-completion" / "completions" / "bootlab"
    asked = (
        f"COMP_WORDS=(bootlab try my.toml quie); COMP_CWORD=3; _bootlab_completion {program}; echo ${{COMPREPLY[@]}}"
    )
    done = subprocess.run(["bash", "-c", f"source {script}; {asked}"], capture_output=True, text=True, check=True)
    assert "quiet" in done.stdout.split()


@pytest.mark.parametrize("name", ["zsh/site-functions/_bootlab", "fish/vendor_completions.d/bootlab.fish"])
def test_other_shells_have_theirs(name) -> None:
    assert "_BOOTLAB_COMPLETE=complete_" in (SHARED / name).read_text(encoding="utf-8")
