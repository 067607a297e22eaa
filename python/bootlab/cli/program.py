"""The verbs, put together with typer."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

GROUPS: dict[str, dict[str, tuple[str, str, str]]] = {
    "Look: where the time goes": {
        "analyze": (
            "bootlab.cli.analyze",
            "analyze",
            "Read any boot log or trace: stages, initcalls, costs",
        ),
        "boot": ("bootlab.cli.boot", "boot", "Boot a system and show where its time goes"),
        "trace": ("bootlab.cli.trace", "trace", "Show every kernel function of a boot, in exact time"),
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
        "report": ("bootlab.cli.report", "report", "Show a run again, or write it as a page"),
    },
    "On real hardware": {
        "board": ("bootlab.cli.board", "board", "Set up real boards, simulate one, compare with QEMU"),
    },
    "Beside boot time": {
        "timers": ("bootlab.cli.timers", "timers", "Stress-test timers, clocks and sleeps"),
        "doctor": ("bootlab.cli.doctor", "doctor", "Check that this machine has what bootlab needs"),
    },
}
"""The verbs as a way of working: where each lives, and what it does in a line."""

VERBS = {verb: place[:2] for group in GROUPS.values() for verb, place in group.items()}
"""A call imports the verb it names and no other: `analyze` must not wait for the laboratory."""


class _Grouped(TyperGroup):
    """Lists the verbs below the headings of GROUPS."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one list a group, each in the order of GROUPS."""
        for title, verbs in GROUPS.items():
            rows = [(verb, place[2]) for verb, place in verbs.items() if self.get_command(ctx, verb)]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _version(wanted: bool) -> None:
    if wanted:
        from bootlab import __version__  # noqa: PLC0415

        typer.echo(f"bootlab {__version__}")
        raise typer.Exit


def root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read the options that stand before the verb."""


def make_app(verbs: Iterable[str]) -> typer.Typer:
    """Make the program with these verbs."""
    made = typer.Typer(
        name="bootlab",
        cls=_Grouped,
        help="A laboratory for Linux boot time: boot a system, see where the time goes, try each technique, prove it.",
        epilog="Start with a log: bootlab analyze boot.log. Or with a system: bootlab doctor, bootlab new my.toml, "
        "bootlab boot my.toml.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(root)
    for verb in verbs:
        module_name, function = VERBS[verb]
        module = importlib.import_module(module_name)
        found = getattr(module, function)
        if isinstance(found, typer.Typer):
            made.add_typer(found, name=verb)
        else:
            made.command(verb, cls=getattr(module, "COMMAND", None))(found)
    return made
