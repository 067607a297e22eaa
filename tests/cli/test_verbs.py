# SPDX-License-Identifier: MIT
"""Every verb of the command line on recordings: text, JSON, exit codes, errors with a hint."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from bootlab.analysis.equality import Equality
from bootlab.cli import __main__ as program
from bootlab.cli.verb_list import GROUPS
from tests.conftest import REPLAYED

VERBS = (
    "doctor",
    "check",
    "ladder",
    "fs",
    "steps",
    "rootfs trim",
    "rootfs atime",
    "rootfs check",
    "board new",
    "board virtual",
    "board power",
    "board who",
    "board health",
    "board compare",
    "board model",
    "board calibrate",
    "analyze",
    "new",
    "boot",
    "trace",
    "floor",
    "profile",
    "where",
    "timers stress",
    "timers compare",
    "timers conform",
    "timers waits",
    "kernel",
    "lpj",
    "delay",
    "xip",
    "console",
    "gate",
    "bisect",
    "compare",
    "history add",
    "history show",
    "history export",
    "history prune",
    "serve",
    "store",
    "techniques",
    "try",
    "optimize",
    "stack",
    "verify",
    "worker",
    "report",
)


class Said(NamedTuple):
    """What the program printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def bootlab(capfd, monkeypatch, tmp_path):
    """Run the program as a shell would: errors become sentences and exit codes in main(), not in a runner."""
    monkeypatch.setenv("BOOTLAB_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["bootlab", *map(str, words)])
        capfd.readouterr()
        try:
            program.main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        printed = capfd.readouterr()
        return Said(code, printed.out, printed.err)

    return run


def test_a_worker_without_a_scheduler_says_what_to_start(bootlab, tmp_path):
    pytest.importorskip("distributed", reason="pip install 'bootlab[dask]'")
    said = bootlab("worker", f"file:{tmp_path}/scheduler.json", "--wait", "1")
    assert (said.code, said.out) == (3, "")
    assert f"there is no file of a scheduler at {tmp_path}/scheduler.json" in said.err
    assert "dask scheduler --port 0 --scheduler-file" in said.err


def test_the_list_of_verbs_is_whole():
    named = set()
    for name, command in typer.main.get_command(program.app).commands.items():
        inner = getattr(command, "commands", None)
        named |= {f"{name} {verb}" for verb in inner} if inner else {name}
    assert named == set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example_that_names_the_verb(verb):
    said = CliRunner().invoke(program.app, [*verb.split(), "--help"])
    assert said.exit_code == 0
    assert re.search(rf"Example: bootlab {verb}\b", said.output)
    assert "--json" in said.output


@pytest.mark.parametrize("columns", ["40", "200"])
def test_the_programs_help_is_typers_and_loads_neither_typer_nor_a_verb(columns):
    def said(words):
        given = [sys.executable, "-c", f"import sys; sys.argv = ['bootlab', '--help']\n{words}"]
        done = subprocess.run(
            given, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": columns}
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    alone = said(
        "from bootlab.cli.__main__ import main\nmain()\n"
        "loaded = {name for name in sys.modules if name.startswith(('typer', 'rich', 'msgspec', 'bootlab.cli.'))}\n"
        "assert loaded == {'bootlab.cli.__main__', 'bootlab.cli.verb_list'}, loaded"
    )
    assert alone == said("from bootlab.cli.program import make_app\nmake_app()()")


def test_options_are_declared_in_one_way_and_only_the_engine_knows_typer():
    folder = Path(program.__file__).parent
    knowing = {
        path.stem for path in folder.glob("*.py") if re.search(r"^\s*(?:import|from) typer", path.read_text(), re.M)
    }
    # `analyze` and `gate` read lists of words in a way of their own.
    assert knowing == {"__main__", "program", "verbs", "analyze", "gate"}


def test_a_shell_completes_ids_of_techniques():
    words = {"_BOOTLAB_COMPLETE": "complete_bash", "COMP_WORDS": "bootlab try system.toml crypto-s", "COMP_CWORD": "3"}
    assert CliRunner(env=words).invoke(program.app, [], prog_name="bootlab").output.split() == [
        "crypto-selftests",
        "crypto-selftests-off",
    ]


def test_without_words_and_with_version():
    assert "A laboratory for Linux boot time" in CliRunner().invoke(program.app, []).output
    assert re.fullmatch(r"bootlab \S+\n", CliRunner().invoke(program.app, ["--version"]).output)


def test_boot(bootlab):
    said = bootlab("boot", REPLAYED)
    assert said.code == 0
    assert "goal after 3139.553 virtual ms" in said.out
    assert "RC scripts" in said.out
    assert "recording: " in said.err
    assert "next: bootlab report " in said.err


def test_boot_as_json(bootlab):
    said = bootlab("boot", REPLAYED, "--json", "--diagnostic")
    assert said.code == 0
    assert said.json["results"]["base"]["goal_ns"] == 3_139_552_570
    assert said.json["results"]["kind"] == "boot"
    assert len(said.json["diagnosis"]) > 500
    assert Path(said.json["recording"]).is_dir()
    assert said.err == ""


def test_boot_diagnostic_shows_initcalls(bootlab):
    assert "crypto_algapi_init" in bootlab("boot", REPLAYED, "--diagnostic").out


def test_boot_again_and_again(bootlab):
    said = bootlab("boot", REPLAYED, "--repeat", 3)
    assert said.code == 0
    assert "3 of 3 boots equal" in said.out
    again = bootlab("boot", REPLAYED, "--repeat", 2, "--json")
    assert again.json["equality"] == {
        "equal": True, "boots": 2, "ran": 2, "reached": 2, "difference": "", "causes": [],
    }  # fmt: skip


def test_boots_that_differ(bootlab, monkeypatch):
    unequal = Equality(equal=False, boots=2, difference="they do", causes=("the moon",))
    monkeypatch.setattr("bootlab.experiments.self_check.compare_boots", lambda *_: unequal)
    said = bootlab("boot", REPLAYED, "--repeat", 2)
    assert said.code == 5
    assert "the boots differ: they do" in said.out
    assert "likely cause: the moon" in said.out


def test_dry_run(bootlab):
    said = bootlab("boot", REPLAYED, "--dry-run")
    assert re.fullmatch(r"replay [0-9a-f]{24}\n", said.out)
    assert bootlab("boot", REPLAYED, "--dry-run", "--json").json["command"][0] == "replay"


def test_try(bootlab, tmp_path):
    said = bootlab("try", REPLAYED, "quiet", "lpj-preset")
    assert said.code == 0
    assert "no effect shown" in said.out
    assert "next: bootlab report " in said.err
    again = bootlab("report", "last", "--markdown", "-").out
    assert f"\nbootlab try {REPLAYED} quiet lpj-preset\n" in again
    page = tmp_path / "try.html"
    written = bootlab("try", REPLAYED, "quiet", "--json", "--html", page).json
    assert [t["verdict"] for t in written["results"]["trials"]] == ["faster"]
    assert written["html"] == str(page)
    assert page.read_text().startswith("<!doctype html>")
    assert f"report: {page}" in bootlab("try", REPLAYED, "quiet", "--html", page).out


@pytest.mark.parametrize("words", [("boot", REPLAYED), ("try", REPLAYED, "quiet")])
def test_the_next_command_finds_the_store_that_was_named(bootlab, tmp_path, words):
    said = bootlab(*words, "--store", tmp_path / "a store").err
    command = shlex.split(said.partition("next: bootlab ")[2].partition(" --html ")[0])
    assert command[0] == "report"
    assert bootlab(*command).code == 0


def test_stack_and_report(bootlab, tmp_path):
    said = bootlab("stack", REPLAYED, "quiet", "crypto-selftests", "no-timer-check", "--json")
    assert said.code == 0
    assert Path(said.json["html"]).read_text().startswith("<!doctype html>")
    run = said.json["run"]
    text = bootlab("stack", REPLAYED, "quiet", "crypto-selftests", "no-timer-check", "--html", tmp_path / "p.html")
    assert (tmp_path / "p.html").is_file()
    assert "report: " in text.out
    assert "next: bootlab boot " in text.err
    shown = bootlab("report", run)
    assert shown.code == 0
    assert "crypto-selftests" in shown.out
    names = {"--html": "a.html", "--markdown": "a.md", "--perfetto": "a.pftrace", "--chrome": "a.json"}
    words = [w for option, name in names.items() for w in (option, tmp_path / name)]
    written = bootlab("report", "last", *words)
    assert written.out == ""
    assert all((tmp_path / name).stat().st_size > 100 for name in names.values())
    assert written.err.count("wrote ") == 4
    as_json = bootlab("report", run, "--json", "--markdown", tmp_path / "b.md").json
    assert as_json["written"] == [str(tmp_path / "b.md")]
    assert as_json["results"]["stack"]["final"]["goal_ns"] == 1_358_309_812


def test_techniques(bootlab):
    said = bootlab("techniques")
    assert "crypto-selftests" in said.out
    every = bootlab("techniques", "--json").json["techniques"]
    assert len(every) >= 20
    one = bootlab("techniques", "show", "quiet")
    assert "try it: bootlab try SYSTEM.toml quiet" in one.out
    assert bootlab("techniques", "show", "quiet", "--json").json["id"] == "quiet"


def test_new(bootlab, tmp_path):
    path = tmp_path / "camera.toml"
    kernel = tmp_path / "vmlinuz"
    said = bootlab("new", path, "--kernel", kernel)
    assert "which is not there" in said.err
    assert "linux-image" in said.err or "This machine has /boot/vmlinuz-" in said.err, "where one comes from"
    assert "--force --kernel KERNEL" in said.err
    kernel.write_bytes(b"")
    said = bootlab("new", path, "--force", "--kernel", kernel)
    assert said.err.strip() == f"wrote {path}; next: bootlab boot {path}"
    assert 'name = "camera"' in path.read_text()
    again = bootlab("new", path)
    assert again.code == 2
    assert "--force" in again.err
    assert bootlab("new", path, "--force", "--json").json == {"path": str(path)}
    assert bootlab("new", tmp_path / "no" / "x.toml").code == 2


def test_doctor(bootlab, monkeypatch, tmp_path):
    whole = bootlab("doctor", "--no-probe-kvm", "--json")
    assert {f["name"] for f in whole.json["findings"]} >= {"cc", "setpriv", "cores", "arm64", "riscv64"}
    assert all("HZ_PERIODIC" not in f["detail"] for f in whole.json["findings"] if f["state"] == "ok")
    assert whole.code == (0 if whole.json["ok"] else 3)
    refusing = tmp_path / "qemu-system-x86_64"
    refusing.write_text("#!/bin/sh\necho 'QEMU emulator version 12.0.1'; echo 'no such interface' >&2\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    exact = next(f for f in bootlab("doctor", "--no-probe-kvm", "--json").json["findings"] if f["name"] == "exact mode")
    assert exact["state"] == "note"
    assert "no such interface" in exact["detail"]
    refusing.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    bare = bootlab("doctor")
    assert bare.code == 3
    assert "apt-get install qemu-system-x86" in bare.out
    assert "apt-get install qemu-system-arm gcc-aarch64-linux-gnu libc6-dev-arm64-cross" in bare.out


ERRORS = [
    (("boot", "/no/such.toml"), 2, "such.toml"),
    (("boot", REPLAYED, "--repeat", "1"), 2, "--repeat"),
    (("try", REPLAYED, "quite"), 2, "there is no technique 'quite'"),
    (("stack", REPLAYED, "quiet", "--also", "nothing-like-it"), 2, "nothing-like-it"),
    (("stack", REPLAYED, "--allow", "everything"), 2, "--allow"),
    (("try", REPLAYED, "nowatchdog"), 4, "no recording of this system"),
    (("report", "last"), 2, "there is no run"),
    (("techniques", "shwo", "quiet"), 2, "is not a command"),
    (("techniques", "show", "quite"), 2, "did you mean quiet"),
    (("bot",), 2, "No such command"),
]


@pytest.mark.parametrize(("words", "code", "said"), ERRORS)
def test_errors(bootlab, words, code, said):
    found = bootlab(*words)
    assert found.code == code
    assert said in found.err
    assert "Traceback" not in found.err
    assert found.out == ""


@pytest.mark.parametrize(("words", "code", "said"), [e for e in ERRORS if e[2][0] != "-" and e[0][0] != "bot"])
def test_errors_as_json(bootlab, words, code, said):
    found = bootlab(*words, "--json")
    assert found.code == code
    assert said in found.json["error"] + found.json["hint"]
    assert found.json["exit_code"] == code
    assert found.json["hint"]


def test_a_broken_pipe_is_no_error(monkeypatch):
    def broken(_args):
        raise BrokenPipeError

    monkeypatch.setattr(program, "_run", broken)
    monkeypatch.setattr(sys.stderr, "close", lambda: None, raising=False)
    with pytest.raises(SystemExit) as end:
        program.main()
    assert end.value.code == 0


def test_ctrl_c_where_nobody_waits(monkeypatch):
    def pressed(_args):
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "_run", pressed)
    with pytest.raises(SystemExit) as end:
        program.main()
    assert end.value.code == 130


def test_the_help_lists_every_verb_below_a_heading(bootlab):
    said = bootlab("--help").out
    for title, verbs in GROUPS.items():
        block = said.split(f"{title}:\n", 1)[1].split("\n\n", 1)[0]
        assert [line.split()[0] for line in block.splitlines()] == list(verbs)
    assert "..." not in said.split("Look:")[1]


def test_a_report_goes_to_standard_output(bootlab, tmp_path, monkeypatch):
    bootlab("boot", REPLAYED)
    monkeypatch.chdir(tmp_path)
    said = bootlab("report", "last", "--markdown", "-")
    assert said.code == 0
    assert said.out.startswith("# Boot time of ")
    assert not (tmp_path / "-").exists()


def test_one_boot_s_rows_are_its_stages(bootlab, tmp_path):
    bootlab("boot", REPLAYED)
    trace = tmp_path / "boot.pftrace"
    said = bootlab("report", "last", "--csv", "-", "--perfetto", trace)
    assert said.code == 0
    head, first, *_ = said.out.splitlines()
    assert (head, first.split(",")[0]) == ("stage,start_ns,duration_ns,clock", "firmware")
    assert trace.stat().st_size > 0


def test_a_comparison_is_a_run_that_report_shows(bootlab):
    recorded = REPLAYED.parent / "lpj.toml"
    assert bootlab("lpj", "test", recorded).code == 0
    said = bootlab("report", "last")
    assert "5 of 5 tests passed" in said.out
    assert bootlab("report", "last", "--csv", "-").out.startswith("id,title,")
