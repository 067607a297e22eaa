# SPDX-License-Identifier: MIT
"""`bootlab boot`: its plain calls are parsed without typer, and mean what typer says they mean."""

import subprocess
import sys
from pathlib import Path

import pytest

from bootlab.cli import __main__ as program
from bootlab.cli import boot, boot_run
from bootlab.cli.boot_run import plain_request

ROOT = Path(__file__).resolve().parents[2]
CALLS = [
    ["s.toml"],
    ["s.toml", "--fresh"],
    ["--fresh", "--force", "s.toml", "--diagnostic", "--json", "--dry-run"],
    ["s.toml", "--repeat", "2"],
    ["s.toml", "--repeat=1000", "--jobs=64"],
    ["s.toml", "-j", "3", "--store", "a folder"],
    ["--store=x", "a/b/s.toml"],
]
LEFT_TO_TYPER = [
    [],
    ["a", "b"],
    ["--help"],
    ["s.toml", "--nonsense"],
    ["s.toml", "--repeat", "1"],
    ["s.toml", "--repeat", "1001"],
    ["s.toml", "--repeat", "x"],
    ["s.toml", "--repeat"],
    ["s.toml", "--jobs", "0"],
    ["s.toml", "--jobs", "65"],
    ["s.toml", "-j3"],
    ["s.toml", "--store", "-x"],
    ["--", "s.toml"],
    ["s.toml", "--fresh=yes"],
]


@pytest.fixture
def asked(monkeypatch):
    """Run the program with some words; return what was asked of the work behind it."""
    seen = []

    def work(request):
        seen.append(request)
        return 4

    monkeypatch.setattr(boot_run, "run", work)
    monkeypatch.setattr(boot, "run", work)

    def run(*words):
        seen.clear()
        monkeypatch.setattr(sys, "argv", ["bootlab", "boot", *words])
        with pytest.raises(SystemExit) as ended:
            program.main()
        assert not seen or ended.value.code == 4
        return seen[0] if seen else None

    return run


@pytest.mark.parametrize("store", [None, "from the environment", ""])
@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_plain_calls_and_typer_understand_the_same(asked, monkeypatch, words, store):
    monkeypatch.delenv("BOOTLAB_STORE", raising=False)
    if store is not None:
        monkeypatch.setenv("BOOTLAB_STORE", store)
    plain = plain_request(words)
    assert plain is not None
    assert asked(*words) == plain
    monkeypatch.setattr(boot_run, "plain_request", lambda _words: None)
    assert asked(*words) == plain


@pytest.mark.parametrize("words", LEFT_TO_TYPER, ids=" ".join)
def test_the_rest_is_left_to_typer(words):
    assert plain_request(words) is None


def test_what_typer_refuses_is_refused(asked, capsys):
    assert asked("s.toml", "--repeat", "1") is None
    assert "--repeat" in capsys.readouterr().err


def test_a_boot_loads_neither_typer_nor_what_it_needs(tmp_path):
    words = (
        "import sys; from bootlab.cli.__main__ import main\n"
        f"sys.argv = ['bootlab', 'boot', 'tests/replay/system.toml', '--store', {str(tmp_path)!r}]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print([name for name in ('typer', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
