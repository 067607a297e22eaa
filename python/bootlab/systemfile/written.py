# SPDX-License-Identifier: MIT
"""A proposal as a commented system file: every choice with its reason, what is not known in words."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

from bootlab.systemfile.goal_candidates import GoalCandidate
from bootlab.systemfile.kernel import beside
from bootlab.systemfile.proposal import SystemProposal
from bootlab.systemfile.proposed_root import RootProposal
from bootlab.systemfile.toml_text import quoted

_WIDTH = 118
_HOST_S = 3600.0
"""Wall seconds: a distribution's boot takes minutes of a busy host, and virtual time decides before that."""


def written(proposal: SystemProposal, folder: Path) -> str:
    """Return the file's text; paths below `folder`, where it will lie, are relative."""
    place = _Place(folder)
    parts = [
        _head(proposal),
        _name(proposal),
        _machine(proposal, place),
        _kernel(proposal, place),
        _initramfs(proposal, place),
        _root(proposal.root, place) if proposal.root is not None else [],
        _clock(proposal),
        _goal(proposal),
        _marks(proposal),
        ["[limits]", "# Virtual time decides (120 s, 30 s without a byte). This is the host's time, the safety net.",
         f"wall_s = {_HOST_S:g}"],
    ]  # fmt: skip
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


class _Place:
    def __init__(self, folder: Path) -> None:
        self._folder = folder.absolute()

    def path(self, path: Path) -> str:
        """Return a path as TOML, relative where it lies below the file's folder; `$` is doubled for the loader."""
        whole = Path(os.path.normpath(path.absolute()))
        short = whole.relative_to(self._folder) if whole.is_relative_to(self._folder) else whole
        return quoted(str(short).replace("$", "$$"))


def _head(proposal: SystemProposal) -> list[str]:
    lines = _comment(f"Written by `bootlab new --from {_shown(str(proposal.source))}`: {_shown(proposal.what)}.")
    lines += _comment("Boot it:  bootlab boot THIS-FILE --repeat 3      Make it faster:  bootlab stack THIS-FILE")
    if proposal.notes:
        lines += ["#", "# To know:"]
        lines += [line for note in proposal.notes for line in _item(note)]
    if proposal.unknown:
        lines += ["#", "# Not known, because none of the inputs shows it:"]
        lines += [line for note in proposal.unknown for line in _item(note)]
    return lines


def _name(proposal: SystemProposal) -> list[str]:
    lines = [f"name = {quoted(proposal.name)}"]
    if proposal.goals.application:
        lines.append(f"application = {quoted(proposal.goals.application)}  # what the goal's unit runs")
    return lines


def _machine(proposal: SystemProposal, place: _Place) -> list[str]:
    lines = ["[machine]", f"arch = {quoted(proposal.arch)}"]
    lines += [f"type = {quoted(proposal.machine)}".ljust(24) + f"  # {_shown(proposal.machine_reason)}"]
    lines += [f"memory_mib = {proposal.memory_mib}".ljust(24) + f"  # {_shown(proposal.memory_reason)}"]
    if proposal.cpus > 1:
        lines.append(f"cpus = {proposal.cpus}".ljust(24) + f"  # {proposal.machine} has no fewer; maxcpus=1 leaves one")
    if proposal.board.console_port:
        lines.append(
            f"console_port = {proposal.board.console_port}".ljust(24)
            + f"  # {proposal.board.port} is not the first port"
        )
    if proposal.dtb is not None:
        lines.append(f"dtb = {place.path(proposal.dtb)}")
    if proposal.attached is not None and proposal.attached.image is not None:
        image = place.path(proposal.attached.image)
        words = {"disk": f"disks = [{image}]", "pmem": f"pmem = [{image}]"}
        lines.append(
            words.get(proposal.attached.medium, f"sd = {image}").ljust(24) + "  # what a boot writes is thrown away"
        )
    return lines


def _kernel(proposal: SystemProposal, place: _Place) -> list[str]:
    lines = ["[kernel]", f"image = {place.path(proposal.kernel)}"]
    if proposal.release:
        lines[-1] += f"  # Linux {_shown(proposal.release)}"
    if proposal.config is not None and str(proposal.config) != beside(str(proposal.kernel), "config"):
        lines.append(f"config = {place.path(proposal.config)}")
    for note in proposal.cmdline_notes:
        lines += _comment(note)
    lines.append(f"cmdline = {quoted(proposal.cmdline)}")
    own = " ".join(proposal.board_cmdline.split())
    if own and own != proposal.cmdline:
        lines.append(f"board_cmdline = {quoted(own)}  # {_of_loader(proposal)}: results are written for it")
    return lines


def _of_loader(proposal: SystemProposal) -> str:
    if proposal.is_board_line_partial:
        return "what was read of its own loader's line, which may have other words or more (above)"
    return "what its own loader passes"


def _initramfs(proposal: SystemProposal, place: _Place) -> list[str]:
    if proposal.initramfs is None:
        return []
    lines = ["[initramfs]"]
    lines += _comment(f"It boots as the file it is ({_shown(proposal.initramfs_note)}).")
    return [*lines, f"archive = {place.path(proposal.initramfs)}"]


def _root(root: RootProposal, place: _Place) -> list[str]:
    lines = ["[root]", *_comment(root.reason), f"medium = {quoted(root.medium)}"]
    if root.image is not None:
        lines.append(f"image = {place.path(root.image)}".ljust(24) + "  # what a boot writes is thrown away")
        if root.partition:
            lines.append(f"partition = {root.partition}")
    if root.tree is not None:
        lines += [f"file_system = {quoted(root.file_system)}", f"dir = {place.path(root.tree)}", 'owners = "kept"']
    return lines


def _clock(proposal: SystemProposal) -> list[str]:
    if not proposal.rtc_base:
        return []
    return ["[clock]", f"rtc_base = {quoted(proposal.rtc_base)}  # {_shown(proposal.rtc_reason)}"]


def _goal(proposal: SystemProposal) -> list[str]:
    goals = proposal.goals
    lines = ["[goal]", *_comment(f"First available use: {_shown(goals.goal.what)}{_at(goals.goal)}.")]
    lines += _comment(f"Kind: {goals.goal.kind}. How sure: {goals.certainty}.")
    lines += [f"console = {_pattern(goals.goal.pattern)}", f"name = {quoted(_shown(goals.goal.what))}"]
    for other in goals.others:
        lines += [
            f"# console = {_pattern(other.pattern)}".ljust(52) + f"  # {other.kind}: {_shown(other.what)}{_at(other)}"
        ]
    return lines


def _marks(proposal: SystemProposal) -> list[str]:
    lines = ["[marks]", *_comment("Console lines that start a stage: rc-scripts and application are the classic ones.")]
    for name, seen in proposal.goals.marks:
        lines.append(f"{name} = {_pattern(seen.pattern)}".ljust(48) + f"  # {_shown(seen.what)}{_at(seen)}")
    if not proposal.goals.marks:
        lines += ["# rc-scripts = '^Starting '", "# application = '^my application: start'"]
    return lines


def _at(seen: GoalCandidate) -> str:
    return f", at {seen.ns / 1e6:.3f} ms" if seen.ns is not None else ""


def _comment(text: str) -> list[str]:
    return textwrap.wrap(
        _shown(text),
        _WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _item(text: str) -> list[str]:
    return textwrap.wrap(
        _shown(text), _WIDTH, initial_indent="# * ", subsequent_indent="#   ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _shown(text: str) -> str:
    """Return a text without what would end a comment or confuse a terminal: it comes out of images."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)[:400]


def _pattern(pattern: str) -> str:
    literal = "'" not in pattern and pattern.isprintable()
    return f"'{pattern}'" if literal else quoted(pattern)
