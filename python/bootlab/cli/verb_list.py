# SPDX-License-Identifier: MIT
"""Every verb: where it lives, and what it does in a line; and the program's help, which loads none of them."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable

GROUPS: dict[str, dict[str, tuple[str, str, str]]] = {
    "Look: where the time goes": {
        "analyze": (
            "bootlab.cli.analyze",
            "analyze",
            "Read any boot log or trace: stages, initcalls, costs",
        ),
        "boot": ("bootlab.cli.boot", "boot", "Boot a system and show where its time goes"),
        "trace": ("bootlab.cli.trace", "trace", "Show every kernel function of a boot, in exact time"),
        "floor": ("bootlab.cli.floor", "floor", "Show how far a system is from its limit, and why"),
        "profile": ("bootlab.cli.profile", "profile", "Show what an application waits for until its goal"),
        "where": ("bootlab.cli.where", "where", "Find a kernel function's source and the option that builds it"),
    },
    "Try: one change at a time, each proved by its boot": {
        "check": ("bootlab.cli.check", "check", "Show which techniques apply, without booting"),
        "techniques": ("bootlab.cli.techniques", "techniques", "List the techniques, or explain one"),
        "try": ("bootlab.cli.try_techniques", "try_", "Boot with and without each technique"),
        "ladder": ("bootlab.cli.ladder", "ladder", "Try kernel techniques: time and size of each"),
        "steps": ("bootlab.cli.steps", "steps", "Boot the system after each of its [[steps]]"),
        "fs": ("bootlab.cli.fs", "fs", "Boot one root tree from each file system"),
        "xip": ("bootlab.cli.xip", "xip", "Start the kernel from flash in several ways"),
        "console": ("bootlab.cli.console", "console", "Show what a serial line or a screen costs"),
        "lpj": ("bootlab.cli.lpj", "lpj", "Preset loops per jiffy: read, test, validate"),
        "delay": ("bootlab.cli.delay", "delay", "Shorten a delay in the kernel's source"),
    },
    "Build: systems, kernels, root trees": {
        "new": ("bootlab.cli.new", "new", "Write a system file to start from"),
        "kernel": ("bootlab.cli.kernel", "kernel", "Build a system's kernel; show its options and size"),
        "rootfs": ("bootlab.cli.rootfs", "rootfs", "Check a root tree, or remove unused files"),
    },
    "Guard: boot time over months": {
        "gate": ("bootlab.cli.gate", "gate", "Fail when a boot is slower or breaks a budget"),
        "compare": ("bootlab.cli.compare", "compare", "Compare two boots: recordings, runs, logs, commits"),
        "bisect": ("bootlab.cli.bisect", "bisect", "Find the commit that made the boot slower"),
        "history": ("bootlab.cli.history", "history", "Keep boots over months; show trends and changes"),
        "serve": ("bootlab.cli.serve", "serve", "Show history and reports in a browser"),
    },
    "Prove and share: the faster system with its evidence": {
        "optimize": ("bootlab.cli.optimize", "optimize", "Find the fastest system that still works"),
        "stack": ("bootlab.cli.stack", "stack", "Combine what helps; write the faster system"),
        "verify": ("bootlab.cli.verify", "verify", "Look for the kept changes in your new build"),
        "worker": ("bootlab.cli.worker", "worker", "Boot and build for other machines, over a shared folder"),
        "report": ("bootlab.cli.report", "report", "Show a run again, or write it as a page"),
    },
    "On real hardware": {
        "board": ("bootlab.cli.board", "board", "Set up real boards, simulate one, compare with QEMU"),
    },
    "Other": {
        "timers": ("bootlab.cli.timers", "timers", "Stress-test timers, clocks and sleeps"),
        "store": ("bootlab.cli.store", "store", "Show how large store and build cache are; remove what is old"),
        "doctor": ("bootlab.cli.doctor", "doctor", "Check that this machine has what bootlab needs"),
    },
}
"""The verbs as a way of working: where each lives, and what it does in a line."""

VERBS = {verb: place[:2] for group in GROUPS.values() for verb, place in group.items()}
"""A call imports the verb it names and no other: `analyze` must not wait for the laboratory."""

ABOUT = "A laboratory for Linux boot time: boot a system, see where the time goes, try each technique, prove it."
START = (
    "Start with a log: bootlab analyze boot.log. Or with a system: bootlab doctor, bootlab new my.toml, "
    "bootlab boot my.toml."
)
VERSION_HELP = "Print the version."
_OPTIONS = (
    ("--version", VERSION_HELP),
    ("--install-completion", "Install completion for the current shell."),
    ("--show-completion", "Show completion for the current shell, to copy it or customize the installation."),
    ("-h, --help", "Show this message and exit."),
)
_WIDEST, _NARROWEST = 80, 50


def overview() -> str:
    """Return the program's help, as typer writes it; importing typer takes longer than all of this."""
    width = max(min(shutil.get_terminal_size().columns, _WIDEST) - 2, _NARROWEST)
    parts = ["Usage: bootlab [OPTIONS] COMMAND [ARGS]...", _paragraph(ABOUT, width), _rows("Options", _OPTIONS, width)]
    for title, verbs in GROUPS.items():
        parts.append(_rows(title, [(verb, place[2]) for verb, place in verbs.items()], width))
    return "\n\n".join([*parts, _paragraph(START, width)]) + "\n"


def _paragraph(text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  ")


def _rows(title: str, rows: Iterable[tuple[str, str]], width: int) -> str:
    rows = list(rows)
    column = max(len(name) for name, _ in rows) + 4
    lines = [f"{title}:"]
    for name, text in rows:
        first, *others = textwrap.wrap(text, width - column)
        lines += [f"  {name:<{column - 2}}{first}", *(" " * column + line for line in others)]
    return "\n".join(lines)
