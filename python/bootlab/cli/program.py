"""The verbs, put together with typer."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from functools import cache
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup
from typer.main import get_group

from bootlab.cli.verbs import expanded

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
        "worker": ("bootlab.cli.worker", "worker", "Boot and build for other machines, over a shared folder"),
        "report": ("bootlab.cli.report", "report", "Show a run again, or write it as a page"),
    },
    "On real hardware": {
        "board": ("bootlab.cli.board", "board", "Set up real boards, simulate one, compare with QEMU"),
    },
    "Other": {
        "timers": ("bootlab.cli.timers", "timers", "Stress-test timers, clocks and sleeps"),
        "doctor": ("bootlab.cli.doctor", "doctor", "Check that this machine has what bootlab needs"),
    },
}
"""The verbs as a way of working: where each lives, and what it does in a line."""

VERBS = {verb: place[:2] for group in GROUPS.values() for verb, place in group.items()}
"""A call imports the verb it names and no other: `analyze` must not wait for the laboratory."""


class _Verbs(Mapping[str, Any]):
    """The commands of verbs, each imported and made when somebody asks for it."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __getitem__(self, verb: str) -> Any:
        if verb not in self._names:
            raise KeyError(verb)
        return _command(verb)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Grouped(TyperGroup):
    """Lists the verbs below the headings of GROUPS, and loads none for that."""

    names: tuple[str, ...] = tuple(VERBS)

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = cast("MutableMapping[str, Any]", _Verbs(self.names))

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - typer asks so
        """Return the names of the verbs."""
        return list(self.names)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer asks so
        """Write one list a group, each in the order of GROUPS."""
        for title, verbs in GROUPS.items():
            rows = [(verb, place[2]) for verb, place in verbs.items() if verb in self.names]
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


@cache
def _command(verb: str) -> Any:
    """Import a verb and let typer make its command."""
    module_name, function = VERBS[verb]
    module = importlib.import_module(module_name)
    found = getattr(module, function)
    alone = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.callback()(root)
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=verb)
    else:
        alone.command(verb, cls=getattr(module, "COMMAND", None))(expanded(found))
    return get_group(alone).commands[verb]


def make_app(verbs: Iterable[str] = VERBS) -> typer.Typer:
    """Make the program with these verbs."""
    chosen = type("Chosen", (_Grouped,), {"names": tuple(verbs)})
    made = typer.Typer(
        name="bootlab",
        cls=chosen,
        help="A laboratory for Linux boot time: boot a system, see where the time goes, try each technique, prove it.",
        epilog="Start with a log: bootlab analyze boot.log. Or with a system: bootlab doctor, bootlab new my.toml, "
        "bootlab boot my.toml.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback()(root)
    return made
