# SPDX-License-Identifier: MIT
"""What can be said about each technique without a boot: from a configuration, a command line and a log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bootlab import techniques as catalogue
from bootlab.advice.check import check as check_facts
from bootlab.advice.facts import Facts, gather
from bootlab.advice.finding import Finding
from bootlab.advice.ways import Ways, ways
from bootlab.api.store_folder import default_store
from bootlab.builders.cache import Cache, default_folder
from bootlab.errors import UserError
from bootlab.logs.costs import Cost
from bootlab.model.cmdline import CommandLine
from bootlab.model.system import SystemDescription
from bootlab.systemfile import load
from bootlab.systemfile.board import load_board
from bootlab.techniques.base import Answer

__all__ = ["Advised", "Answer", "Finding", "advised"]


class Advised(msgspec.Struct, frozen=True, kw_only=True):
    """What was found of each technique. `ways`: with a board, of each finding, where it can be tried.

    `largest`: the cost of the log's boot that takes longest, whether a technique is about it or not.
    """

    findings: tuple[Finding, ...]
    largest: Cost | None = None
    ways: tuple[Ways, ...] = ()

    @property
    def applying(self) -> frozenset[str]:
        """Ids of the techniques that apply."""
        return frozenset(one.technique for one in self.findings if one.answer is Answer.YES)


def advised(
    system_file: Path | None = None,
    *,
    config: Path | None = None,
    cmdline: str | None = None,
    log: Path | None = None,
    boot: int | None = None,
    arch: str = "",
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    board: Path | None = None,
    store: Path | None = None,
) -> Advised:
    """Say of each technique whether it applies, and on what evidence; nothing is booted. Raise UserError.

    `system_file`: a system's file, `NAME.toml`, or a log. `board`: its file; without
    `log`, the log of its newest good boot in the store is read. `select`, `ignore`: ids.
    """
    if system_file is not None and log is None and system_file.suffix != ".toml":
        system_file, log = None, system_file
    system = load(system_file) if system_file is not None else None
    file = load_board(board) if board is not None else None
    on_board = file.system(system) if file is not None else None
    if file is not None and on_board is not None and log is None:
        log = _log_of(default_store() if store is None else store, on_board.name if system is None else file.board.name)
    facts = gather(
        Cache(default_folder()), system=system, config=config, cmdline=cmdline, log=log, boot=boot, arch=arch
    )
    wanted = [catalogue.get(i) for i in select] if select else list(catalogue.all_techniques())
    unwanted = {catalogue.get(i).id for i in ignore}
    findings = tuple(check_facts(facts, [t for t in wanted if t.id not in unwanted]))
    largest = max((cost for cost in facts.costs if cost.cost_ns), key=lambda cost: cost.cost_ns or 0, default=None)
    if on_board is None:
        return Advised(findings=findings, largest=largest)
    there = _with_cmdline(on_board, facts)
    return Advised(findings=findings, largest=largest, ways=tuple(ways(one, system, there) for one in findings))


def _with_cmdline(system: SystemDescription, facts: Facts) -> SystemDescription:
    """Return the board's system with the command line that its log shows, where no file gives one."""
    recording = facts.context.recording
    printed = recording.meta.cmdline if recording is not None else ""
    if system.cmdline.params or not printed:
        return system
    return msgspec.structs.replace(system, cmdline=CommandLine.parse(printed))


def _log_of(store: Path, name: str) -> Path:
    """Return the console of a board's newest boot that reached its goal."""
    from bootlab.store.boards import newest_boot

    newest = newest_boot(store, name)
    if newest is None:
        raise UserError(
            f"no boot of {name} is kept in {store}",
            hint="boot it first: bootlab boot --board BOARD.toml, or give --log",
        )
    return newest
