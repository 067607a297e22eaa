# SPDX-License-Identifier: MIT
"""`bootlab check`: advice from a configuration, a command line and a log, without booting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from bootlab.cli.files import write_files
from bootlab.cli.options import Argument, Option, technique_ids
from bootlab.cli.session import DEFAULT_STORE, JsonOption, StoreOption, out, print_json
from bootlab.errors import Found, UserError
from bootlab.model.change_text import change_text

if TYPE_CHECKING:
    from bootlab.api.advice import Finding


def check(
    system_file: Annotated[
        Path | None,
        Argument(
            metavar="[SYSTEM.toml|LOG]", help="The system file, if there is one, or a boot log.", show_default=False
        ),
    ] = None,
    *,
    config: Annotated[Path | None, Option(help="The kernel's .config.")] = None,
    cmdline: Annotated[
        str | None,
        Option(
            help="The kernel command line, or @FILE to read it from a file (@/proc/cmdline). Default: the one in the "
            "log."
        ),
    ] = None,
    log: Annotated[Path | None, Option(help="A boot log in any format that `bootlab analyze` reads.")] = None,
    boot: Annotated[
        int | None, Option(least=1, help="Use boot number N of the log. Default: the last that came furthest.")
    ] = None,
    arch: Annotated[
        str, Option(help="Architecture (x86_64, arm, arm64, riscv64), if the other inputs do not say it.")
    ] = "",
    select: Annotated[
        list[str] | None,
        Option(metavar="ID", help="Check only this technique. May be given more than once.", complete=technique_ids),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        Option(metavar="ID", help="Skip this technique. May be given more than once.", complete=technique_ids),
    ] = None,
    everything: Annotated[
        bool, Option(names=("--all",), help="Also list techniques that are unknown or do not apply, with the reason.")
    ] = False,
    exit_zero: Annotated[bool, Option(help="Exit with code 0 even if a technique applies.")] = False,
    board: Annotated[
        Path | None,
        Option(
            metavar="BOARD.toml",
            help="Use the log of this board's newest good boot in the store, and show where techniques can be tried.",
        ),
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    sarif_file: Annotated[
        Path | None, Option(names=("--sarif",), help="Write the findings as SARIF 2.1.0, for code review tools.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show which techniques apply, judging by a configuration, a command line or a log, with the line that shows it.

    Nothing is booted, so the results are advice, not proof. What the files do not settle is reported as unknown. Exit
    code 10: at least one technique applies.

    Example: bootlab check --config .config --log boot.log
    """
    from bootlab.api.advice import advised  # noqa: PLC0415 - `--help` must not wait for it
    from bootlab.views.log import findings_text, sarif  # noqa: PLC0415

    said = advised(
        system_file,
        config=config,
        cmdline=_cmdline(cmdline),
        log=log,
        boot=boot,
        arch=arch,
        select=select or (),
        ignore=ignore or (),
        board=board,
        store=store,
    )
    findings = said.findings
    write_files(
        (sarif_file, lambda: msgspec.json.format(msgspec.json.encode(sarif.document(findings)), indent=1) + b"\n")
    )
    if as_json:
        plain = [_plain(f) for f in findings]
        print_json({"format": "bootlab-advice", "version": 1, "findings": plain, "ways": said.ways})
    else:
        findings_text.show(out(), findings, largest=said.largest, everything=everything)
        if said.ways:
            out().print(findings_text.ways_table([way for way in said.ways if way.technique in said.applying]))
    if said.applying and not exit_zero:
        raise SystemExit(Found.APPLIES)


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
