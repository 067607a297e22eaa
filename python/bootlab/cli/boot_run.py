"""The work of `bootlab boot`, apart from its command line.

Importing typer and what it checks options with takes a third of the time that passes before QEMU starts.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bootlab.cli.open_system import opened

if TYPE_CHECKING:
    from bootlab.analysis.equality import Equality

STORE_VARIABLE = "BOOTLAB_STORE"
MOST_REPEATS = 1000
MOST_JOBS = 64
_SWITCHES = {
    "--diagnostic": "diagnostic",
    "--fresh": "fresh",
    "--force": "force",
    "--dry-run": "dry_run",
    "--json": "as_json",
}
_VALUES: dict[str, Callable[[str], Any]] = {"--repeat": int, "--jobs": int, "--store": Path}
_WANTED_AT_THE_END = (
    "bootlab.views.run.terminal",
    "bootlab.views.run.initcalls",
    "bootlab.cli.screen",
    "bootlab.targets.failure_hint",
    "importlib.metadata",
    "zipfile",
)


class Request(msgspec.Struct, kw_only=True):
    """What was asked for, one field an option."""

    system_file: Path
    repeat: int | None = None
    diagnostic: bool = False
    fresh: bool = False
    force: bool = False
    dry_run: bool = False
    jobs: int | None = None
    store: Path
    as_json: bool = False


def plain_request(args: Sequence[str]) -> Request | None:
    """Parse arguments without typer; None for anything but plain calls, which typer then parses or refuses."""
    request = Request(system_file=Path(), store=Path(os.environ.get(STORE_VARIABLE) or ".bootlab"))
    files, rest = [], list(args)
    while rest:
        word = rest.pop(0)
        if word in _SWITCHES:
            setattr(request, _SWITCHES[word], True)
        elif not word.startswith("-"):
            files.append(word)
        elif not _take(request, "--jobs" if word == "-j" else word, rest):
            return None
    within = (request.repeat is None or 2 <= request.repeat <= MOST_REPEATS) and 1 <= (request.jobs or 1) <= MOST_JOBS
    if len(files) != 1 or not within or request.jobs == 0 or str(request.store).startswith("-"):
        return None
    request.system_file = Path(files[0])
    return request


def _take(request: Request, word: str, rest: list[str]) -> bool:
    name, equals, value = word.partition("=")
    convert = _VALUES.get(name)
    if convert is None or not (equals or rest):
        return False
    try:
        setattr(request, name.removeprefix("--"), convert(value if equals else rest.pop(0)))
    except ValueError:
        return False
    return True


def run(request: Request) -> int:
    """Boot, show and keep; return the exit code."""
    if request.dry_run:
        return _dry_run(request)
    equality: Equality | None = None
    with opened(
        request.system_file,
        store=request.store,
        jobs=request.jobs,
        quiet=request.as_json,
        load_meanwhile=_WANTED_AT_THE_END,
    ) as system:
        if request.repeat:
            made, equality = system.repeat(request.repeat, force=request.force)
        else:
            made = system.boot(diagnostic=request.diagnostic, fresh=request.fresh, force=request.force)
    recording, diagnosis, meta = made.recording, made.diagnosis, made.recording.meta
    from bootlab.cli.screen import err, out, print_json  # noqa: PLC0415 - see _WANTED_AT_THE_END
    from bootlab.targets.failure_hint import hint_for  # noqa: PLC0415
    from bootlab.views.run import terminal  # noqa: PLC0415
    from bootlab.views.run.headline import headline  # noqa: PLC0415
    from bootlab.views.run.initcalls import initcall_table  # noqa: PLC0415

    if request.as_json:
        document = {
            "run": made.results.id,
            "headline": headline(made.results.data),
            "results": made.results.data,
            "equality": equality,
            "recording": recording.path,
        }
        print_json({**document, "diagnosis": diagnosis.initcalls if diagnosis else None})
    else:
        console = out()
        if diagnosis:
            console.print(initcall_table(diagnosis.initcalls))
        console.print(terminal.results_view(made.results.data))
        if equality:
            _say_equality(equality)
        if not recording.ok:
            _say_way_out(meta.last_initcall, hint_for(recording, system.value))
        err().print(f"recording: {recording.path}", markup=False, soft_wrap=True)
        err().print(f"next: bootlab report {made.results.id} --html boot.html", markup=False, soft_wrap=True)
    if not recording.ok:
        return meta.outcome.exit_code
    return 5 if equality and not equality.equal else 0


def _dry_run(request: Request) -> int:
    from bootlab.api import System  # noqa: PLC0415
    from bootlab.cli.screen import err, out, print_json  # noqa: PLC0415

    plan = System.load(request.system_file).plan()
    if request.as_json:
        print_json({"command": plan.command, "key": plan.key, "lacks": plan.lacks, "notes": plan.notes})
        return 0
    out().print(shlex.join(plan.command), markup=False, soft_wrap=True)
    for lack in plan.lacks:
        err().print(f"not recorded: {lack}", markup=False, soft_wrap=True)
    for note in plan.notes:
        err().print(f"note: {note}", markup=False, soft_wrap=True)
    return 0


def _say_equality(equality: Equality) -> None:
    from rich.text import Text  # noqa: PLC0415

    from bootlab.cli.screen import out  # noqa: PLC0415

    console = out()
    if equality.equal:
        said = f"{equality.boots} of {equality.boots} boots equal: console byte for byte, goal to the instruction"
        console.print(Text(said, "green"))
        return
    console.print(Text(f"the boots differ: {equality.difference}", "bold red"))
    for cause in equality.causes:
        console.print(Text(f"likely cause: {cause}"))
    if not equality.causes:
        console.print(Text("none of the known causes is present; please report this system"))


def _say_way_out(last_initcall: str, hint: str) -> None:
    from rich.text import Text  # noqa: PLC0415

    from bootlab.cli.screen import err  # noqa: PLC0415
    from bootlab.views.shown_text import one_line  # noqa: PLC0415

    console = err()
    if last_initcall:
        console.print(Text(f"last initcall called and not returned: {one_line(last_initcall)}"), soft_wrap=True)
    console.print(Text(f"hint: {hint}"), soft_wrap=True)
