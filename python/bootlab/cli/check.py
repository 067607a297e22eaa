"""`bootlab check`: advice from a configuration, a command line and a log, without booting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from bootlab import techniques as catalogue
from bootlab.advice.check import check as check_facts
from bootlab.advice.facts import Facts, gather
from bootlab.advice.finding import Finding
from bootlab.advice.ways import ways
from bootlab.builders.cache import Cache, default_folder
from bootlab.cli.files import write_files
from bootlab.cli.session import DEFAULT_STORE, JsonOption, StoreOption, out, print_json
from bootlab.errors import Found, UserError
from bootlab.model.change_text import change_text
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import System
from bootlab.systemfile import load
from bootlab.systemfile.board import load_board
from bootlab.techniques.base import Answer
from bootlab.views.log import findings_text, sarif


def check(
    system_file: Annotated[
        Path | None,
        typer.Argument(metavar="[SYSTEM.toml]", help="The system file, if there is one.", show_default=False),
    ] = None,
    *,
    config: Annotated[Path | None, typer.Option(help="The kernel's .config.")] = None,
    cmdline: Annotated[
        str | None,
        typer.Option(
            help="The kernel command line, or @FILE to read it from a file (@/proc/cmdline). Default: the one in the "
            "log."
        ),
    ] = None,
    log: Annotated[Path | None, typer.Option(help="A boot log in any format that `bootlab analyze` reads.")] = None,
    boot: Annotated[
        int | None, typer.Option(min=1, help="Use boot number N of the log. Default: the first boot with a kernel.")
    ] = None,
    arch: Annotated[
        str, typer.Option(help="Architecture (x86_64, arm, arm64, riscv64), if the other inputs do not say it.")
    ] = "",
    select: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Check only this technique. May be given more than once.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Skip this technique. May be given more than once.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also list techniques that do not apply, with the reason.")
    ] = False,
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit with code 0 even if a technique applies.")
    ] = False,
    board: Annotated[
        Path | None,
        typer.Option(
            "--board",
            metavar="BOARD.toml",
            help="Use the log of this board's newest good boot in the store, and show where techniques can be tried.",
        ),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    sarif_file: Annotated[
        Path | None, typer.Option("--sarif", help="Write the findings as SARIF 2.1.0, for code review tools.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which techniques apply, judging by a configuration, a command line or a log, with the line that shows it.

    Nothing is booted, so the results are advice, not proof. What the files do not settle is reported as unknown. Exit
    code 10: at least one technique applies.

    Example: bootlab check --config .config --log boot.log
    """
    system = load(system_file) if system_file is not None else None
    on_board = load_board(board).system(system) if board is not None else None
    if on_board is not None and log is None:
        log = _log_of(store, on_board.name if system is None else load_board(board or Path()).board.name)
    facts = gather(
        Cache(default_folder()), system=system, config=config, cmdline=_cmdline(cmdline), log=log, boot=boot, arch=arch
    )
    wanted = [catalogue.get(i) for i in select] if select else list(catalogue.all_techniques())
    unwanted = {catalogue.get(i).id for i in ignore or ()}
    findings = check_facts(facts, [t for t in wanted if t.id not in unwanted])
    where = [ways(f, system, _with_cmdline(on_board, facts)) for f in findings] if on_board is not None else []
    write_files(
        (sarif_file, lambda: msgspec.json.format(msgspec.json.encode(sarif.document(findings)), indent=1) + b"\n")
    )
    if as_json:
        print_json({"format": "bootlab-advice", "version": 1, "findings": [_plain(f) for f in findings], "ways": where})
    else:
        findings_text.show(out(), findings, everything=everything)
        if where:
            applying = {f.technique for f in findings if f.answer is Answer.YES}
            out().print(findings_text.ways_table([way for way in where if way.technique in applying]))
    if any(f.answer is Answer.YES for f in findings) and not exit_zero:
        raise typer.Exit(Found.APPLIES)


def _with_cmdline(system: System, facts: Facts) -> System:
    """Return the board's system with the command line that its log shows, where no file gives one."""
    recording = facts.context.recording
    printed = recording.meta.cmdline if recording is not None else ""
    if system.cmdline.params or not printed:
        return system
    return msgspec.structs.replace(system, cmdline=CommandLine.parse(printed))


def _log_of(store: Path, name: str) -> Path:
    """Return the console of a board's newest boot that reached its goal."""
    from bootlab.store.boards import newest_boot  # noqa: PLC0415 - most checks name their log

    found = newest_boot(store, name)
    if found is None:
        raise UserError(
            f"no boot of {name} is kept in {store}",
            hint="boot it first: bootlab boot --board BOARD.toml, or give --log",
        )
    return found


def _cmdline(given: str | None) -> str | None:
    if given is None or not given.startswith("@"):
        return given
    path = Path(given[1:])
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError as fault:
        raise UserError(f"cannot read {path}: {fault.strerror}", hint=f"ls -l {path}") from fault


def _plain(finding: Finding) -> dict[str, object]:
    return {
        **msgspec.to_builtins(finding),
        "sign": finding.sign,
        "ways": [change_text(change) for change in finding.changes],
    }
