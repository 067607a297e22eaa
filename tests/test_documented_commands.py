# SPDX-License-Identifier: MIT
"""Every command of README, tutorial and how-to pages is run as it is printed, or a table says where, or why not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli import test_profile, test_trace_compare
from tests.documented_commands import APART, PAGES, REPOSITORY, RUN, TOLD_BY, commands, elsewhere, exit_codes
from tests.kernelsource import test_levers
from tests.kernelsource.small_tree import write

LOG = (
    "[    0.000000] Linux version 6.1.0 (gcc 12) #1 SMP\n"
    "[    0.000000] Command line: console=ttyS0,115200\n"
    "[    0.010000] Calibrating delay loop... 3984.58 BogoMIPS (lpj=1992294)\n"
    "[    0.500000] initcall slow_init+0x0/0x10 returned 0 after 9000 usecs\n"
    "[    0.900000] Run /sbin/init as init process\n"
    "my-app: start\n[    1.200000] my-app: ready\n[    1.300000] login: \n"
)
BY_PAGE = {page: [one for one in commands(page) if exit_codes(one)] for page in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_command_is_without_a_class(page: Path) -> None:
    for command in commands(page):
        assert exit_codes(command) or elsewhere(command), f"{page.name}: {command}: no table says how it is tested"


def test_every_row_of_the_tables_is_of_use_and_names_tests_that_are_there() -> None:
    whole = [command for page in PAGES for command in commands(page)]
    for table in (RUN, TOLD_BY, APART):
        for pattern in table:
            assert any(re.fullmatch(pattern, command) for command in whole), pattern
    for place in TOLD_BY.values():
        assert (REPOSITORY / place).exists(), place
    assert len([command for command in whole if exit_codes(command)]) > 40


def test_tests_and_hints_name_targets_that_make_has() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for folder in ("tests", "python", "scripts", "examples", "benchmarks"):
        for path in (REPOSITORY / folder).rglob("*.py"):
            # A hint ends with its command: `skip("no kernel here: make kernel")`.
            for target in re.findall(r": make ([a-z0-9-]+)[\"'`]", path.read_text(encoding="utf-8")):
                assert target in targets, f"{path}: make {target}"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with what the pages name: systems on recordings, logs, a configuration, a source tree."""
    for name in ("examples", "scripts"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "replay").symlink_to(REPOSITORY / "tests" / "replay")
    (tmp_path / "fixture").symlink_to(REPOSITORY / "tests" / "replay" / "fixture")
    (tmp_path / "last-release").mkdir()
    (tmp_path / "last-release" / "fixture").symlink_to(tmp_path / "fixture")
    replayed = (REPOSITORY / "tests" / "replay" / "system.toml").read_text(encoding="utf-8")
    for name in ("system", "camera", "camera-1.0", "server", "last-release/system"):
        (tmp_path / f"{name}.toml").write_text(replayed, encoding="utf-8")
    for name in ("dmesg.txt", "boot.log", "before.log", "after.log", "monday.log", "tuesday.log", "wednesday.log"):
        (tmp_path / name).write_text(LOG, encoding="utf-8")
    for folder in ("base", "new"):
        (tmp_path / folder).mkdir()
        for number in (1, 2, 3):
            (tmp_path / folder / f"boot{number}.log").write_text(LOG, encoding="utf-8")
            (tmp_path / folder / f"run_{number}.txt").write_text(LOG, encoding="utf-8")
    (tmp_path / "before.trace").write_text(test_trace_compare.BASE)
    (tmp_path / "after.trace").write_text(test_trace_compare.NEW)
    (tmp_path / "app.strace").write_text(test_profile.TEXT.replace("31mready", "31mfirst frame"))
    (tmp_path / ".config").write_text(test_levers.CONFIG)
    acpi = {"drivers/held.c": "static int __init acpi_init(void)\n{\n}\nsubsys_initcall(acpi_init);\n"}
    write(tmp_path / "linux-6.1", test_levers.FILES | acpi)
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "bootlab").write_text(f'#!/bin/sh\nexec {sys.executable} -m bootlab.cli "$@"\n')
    # A container may not read its kernel's log.
    (programs / "dmesg").write_text(f"#!/bin/sh\ncat {tmp_path}/dmesg.txt\n")
    for program in programs.iterdir():
        program.chmod(0o755)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if BY_PAGE[page]], ids=lambda page: page.stem)
def test_commands_run_as_they_are_printed(page: Path, desk: Path) -> None:
    """All of a page one after the other, in one shell: what one makes, the next one finds."""
    script = "".join(
        f"{{\n{command}\n}} > $DESK/{number}.out 2>&1; echo {number} $? >> $DESK/codes\n"
        for number, command in enumerate(BY_PAGE[page])
    )
    path = f"{desk / 'programs'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "DESK": str(desk), "BOOTLAB_CACHE": str(desk / "cache")}
    subprocess.run(
        ["bash", "-c", script], cwd=desk, env=environment, stdin=subprocess.DEVNULL, check=False, timeout=600
    )
    codes = dict(map(int, line.split()) for line in (desk / "codes").read_text().splitlines())
    for number, command in enumerate(BY_PAGE[page]):
        said = (desk / f"{number}.out").read_text(errors="replace")
        assert codes[number] in exit_codes(command), f"{command}\n{said}"
        assert "Traceback" not in said, command
