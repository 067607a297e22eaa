# SPDX-License-Identifier: MIT
"""The commands that README, tutorial and how-to pages print in their blocks, and how each of them is run.

`RUN`: run as printed, by tests/test_documented_commands.py, on what the page names (it makes files of these names).
`TOLD_BY`: a test elsewhere that runs the same verb with the same options, on a system that boots here. `APART`: no test
runs it; the reason. The first pattern that matches decides; a command that none matches fails the test.
"""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = (
    REPOSITORY / "README.md",
    REPOSITORY / "docs" / "tutorial.md",
    *sorted((REPOSITORY / "docs" / "how-to").glob("*.md")),
)
_BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)

RUN: dict[str, tuple[int, ...]] = {
    r"bootlab analyze .*": (0, 11),
    r"dmesg \| bootlab analyze -": (0,),
    r"bootlab board new board.toml": (0,),
    r"bootlab check (?!--board).*": (0, 10),
    r"bootlab doctor": (0, 3),
    r"bootlab new hello.toml": (0,),
    r"bootlab techniques": (0,),
    r"bootlab where .*": (0,),
    r"mkdir first && cd first|cd \.\.": (0,),
    r"bootlab stack tests/replay/.*": (0,),
    r"bootlab optimize \S+ --plan( --all)?": (0,),
    r"bootlab optimize camera.toml --write plan.toml": (0,),
    r"bootlab boot (system|camera).toml": (0,),
    r"bootlab boot camera.toml --dry-run": (0,),
    r"bootlab history (add last --system camera --revision v1.1|show camera)": (0,),
    r"bootlab history prune --recordings-older 90d --keep 2": (0,),
    r"bootlab store( --prune 90d --prune-cache \S+ weeks\S* --dry-run)?": (0,),
    r"bootlab gate last --against history .*": (0,),
    r"bootlab gate system.toml (--budget|--against last-release).*": (0, 11),
    r"bootlab gate new/\*.*": (0, 11, 14),
    r"bootlab gate new/run_.*": (0, 11, 14),
    r"bootlab lpj (read|validate) --log .*": (0,),
    r"bootlab profile app.strace .*": (0,),
    r"bootlab timers conform --plants": (0,),
}
"""Patterns of whole commands, with the exit codes that a page may lead to (docs/reference/exit-codes.md)."""

TOLD_BY: dict[str, str] = {
    r"bootlab stack .*": "tests/experiments/test_stack.py",
    r"bootlab try .*--board.*": "tests/integration/test_board_boots.py",
    r"bootlab try .*": "tests/experiments/test_trial.py",
    r"bootlab boot --board .*": "tests/integration/test_board_boots.py",
    r"bootlab board (virtual|power|new) .*": "tests/cli/test_board_virtual.py",
    r"bootlab board health.*": "tests/cli/test_board_health.py",
    r"bootlab board calibrate .*|\./bootlab-calibrate .*": "tests/boards/test_calibration.py",
    r"bootlab check --board .*": "tests/advice/test_check.py",
    r"bootlab boot (\S+hello|hello|server|system|camera).toml.*": "tests/integration/test_exact.py",
    r"bootlab optimize .*--final .*": "tests/integration/test_final_checks.py",
    r"bootlab optimize .*--scheduler (tcp|file):.*": "tests/integration/test_boots_on_workers.py",
    r"bootlab optimize .*": "tests/experiments/optimize/test_carried_out.py",
    r"bootlab worker .*": "tests/workers/test_scheduled.py",
    r"bootlab trace .*": "tests/cli/test_trace_compare.py",
    r"bootlab gate (--run|boots/|new/ --against) .*": "tests/cli/test_gate_by_text.py",
    r"ssh vm systemd-analyze \| bootlab gate - .*": "tests/cli/test_gate_by_text.py",
    r"bootlab gate .*--against git:.*": "tests/cli/test_gate_of_a_branch.py",
    r"bootlab gate .*": "tests/cli/test_gate.py",
    r"bootlab bisect .*": "tests/integration/test_bisect_boots.py",
    r"bootlab compare rev:.*": "tests/cli/test_gate.py",
    r"bootlab history .*": "tests/history",
    r"bootlab serve.*": "tests/web",
    r"bootlab kernel .*": "tests/cli/test_kernel.py",
    r"bootlab steps .*": "tests/integration/test_steps.py",
    r"bootlab ladder .*": "tests/experiments/test_ladder.py",
    r"bootlab fs .*": "tests/integration/test_filesystems.py",
    r"bootlab lpj .*": "tests/cli/test_lpj.py",
    r"bootlab profile .*": "tests/cli/test_profile.py",
    r"bootlab delay .*": "tests/cli/test_delay.py",
    r"bootlab timers .*": "tests/cli/test_timers.py",
    r"bootlab boot examples/arm-(orangepi-pc|vexpress-a9)/.*": "tests/integration/test_boards.py",
    r"bootlab new server.toml --from .*": "tests/integration/test_debian_images.py",
    r"bootlab rootfs .*": "tests/cli/test_rootfs.py",
    r"bootlab verify .*": "tests/deliver/test_verified.py",
    r"git am build-system/.*": "tests/deliver/test_written.py",
}
"""Patterns, and the file or folder of the tests that run such a command."""

APART: dict[str, str] = {
    r"make .*": "it sets up and tests the whole; continuous integration does, on both releases",
    r"(sudo )?scripts/(setup-debian|fetch-\S+|setup-orangepi|fresh-roots?)\S*( .*)?": "it downloads from an archive",
    r"(sudo )?scripts/make-ssh-vm\S*( .*)?": "it downloads from an archive",
    r"podman .*": "it needs a container engine, and the image that `make container` makes",
    r"sudo (apt-get|dnf|pacman|zypper) .*|apk add .*|rustup .*": "it installs into the machine",
    r"pip install .*|\S+/pip install .*|python3 -m venv .*": "it downloads; see tests/integration/test_install.py",
    r"pipx install git\+https://.*": "it downloads; tests/experiments/optimize/test_hardening.py reads what it says",
    r"\S+/bootlab doctor": "of the wheel that was installed: tests/integration/test_install.py",
    r"\. \.venv/bin/activate|export \w+=.*": "it sets the reader's shell up",
    r"bootlab new camera.toml --kernel /boot/.*": "it names the kernel of the reader's machine",
    r"bootlab board compare .*": "it needs a board",
    r"bootlab techniques show .*": "the technique that the page adds",
    r"dask .*": "it needs a cluster; tests/integration/test_boots_on_workers.py starts one",
    r"pkill .*": "it ends processes by name",
    r"strace .*": "it runs the reader's application",
    r"BLESS=1 cargo test .*": "it writes the expected files of a new format; `cargo test` compares them",
    r"pytest tests/.*": "the suite itself",
    r"git diff .*": "it shows what the reader has changed",
    r"(echo|while|if|sectors=).*": "lines of a script that runs in the booted system",
    r"\(umask .*|tar -C .*|curl .*": "it needs the reader's server",
}
"""Patterns, and why no test runs such a command."""


def commands(path: Path) -> list[str]:
    """Return a page's commands: lines of a `sh` block, those with a prompt of a `console` block, and indented ones."""
    found: list[str] = []
    whole = path.read_text(encoding="utf-8")
    for indent, language, text in _BLOCK.findall(whole):
        lines = [line.removeprefix(indent) for line in text.splitlines()]
        if language == "console":
            found += [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        elif language == "sh":
            found += _joined(lines)
    # Some pages are written with indented blocks.
    found += re.findall(r"^    (?:\$ )?(bootlab .*)$", _BLOCK.sub("", whole), re.MULTILINE)
    return [plain for one in found if (plain := re.sub(r"(^|\s+)#\s.*$", "", one).strip())]


def _joined(lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if found and found[-1].endswith("\\"):
            found[-1] = f"{found[-1][:-1].rstrip()} {line.strip()}"
        else:
            found.append(line.strip())
    return found


def exit_codes(command: str) -> tuple[int, ...]:
    """Return the exit codes of a command that is run as printed; () for another."""
    return next((codes for pattern, codes in RUN.items() if re.fullmatch(pattern, command)), ())


def elsewhere(command: str) -> str:
    """Return which tests run such a command, or why none does; "" where no table says it."""
    tables = (*TOLD_BY.items(), *APART.items())
    return next((said for pattern, said in tables if re.fullmatch(pattern, command)), "")
