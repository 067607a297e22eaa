# SPDX-License-Identifier: MIT
"""The floor of a system: two more boots of it, one with its functions traced and one with its tasks told."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from bootlab import _core, techniques
from bootlab.analysis.floor import Application, Images, ProgramShare, floor_of
from bootlab.analysis.own_time import Turn, own_ns
from bootlab.analysis.shared_costs import shared_costs
from bootlab.errors import BootlabError
from bootlab.experiments.base import Base
from bootlab.experiments.bench import Bench, Stopped
from bootlab.experiments.processes import process_turns
from bootlab.experiments.traced_boot import Traced, trace_boot
from bootlab.model.floor import Floor
from bootlab.model.plan import Plan
from bootlab.model.recording import Diagnosis
from bootlab.model.system import SystemDescription
from bootlab.model.tree import FileTree
from bootlab.techniques.base import Answer, Context, Technique
from bootlab.techniques.scope import ask, levers
from bootlab.tracing.boot import TraceRequest

_COMM_LENGTH = 15
"""The kernel keeps so much of a program's name (include/linux/sched.h: TASK_COMM_LEN)."""

_WORD = re.compile(r"[a-z]\w*_\w+")
"""Names of functions in a technique's text: other words have no underline."""

_MOST_NAMED = 3
"""So many techniques are named for one part, at most."""

ENTRIES = TraceRequest(min_ns=0, depth=2)
"""Every entry of a program into the kernel leaves a span."""


def floor_found(
    bench: Bench,
    system: SystemDescription,
    plan: Plan,
    diagnosis: Diagnosis | None = None,
    tried: Mapping[str, str] | None = None,
) -> Floor | str:
    """Boot what it takes and compute the floor; or say why there is none (a board, several processors, no symbols)."""
    bench.phase("floor", 2)
    try:
        return floor_in(bench, system, plan, diagnosis, tried)
    except Stopped:
        raise
    except BootlabError as fault:
        return f"no floor: {fault.message}"


def floor_in(
    bench: Bench,
    system: SystemDescription,
    plan: Plan | None = None,
    diagnosis: Diagnosis | None = None,
    tried: Mapping[str, str] | None = None,
) -> Floor:
    """Do the same, and raise what keeps it from a floor.

    `plan`: what it left out could take parts away. `diagnosis`: of this system; techniques ask it. `tried`: techniques
    that were tried on this system and did not stay, with what came of it.
    """
    traced = trace_boot(bench, system, ENTRIES)
    turns = process_turns(bench, system)
    name, own = application_turns(system.application, turns)
    application = _application(name, own, traced)
    others = set(turns) - set(own)
    programs = _programs(system, [turn for turn in turns if turn in others])
    base = Base(
        system=system,
        recording=traced.timing,
        diagnosis=diagnosis,
        info=bench.target.plan(system).info,
        shared_costs=shared_costs(traced.trace),
    )
    known = _Levers(plan, base.context, tried or {})
    return floor_of(traced.trace, application, programs, _images(traced, system), known.of, known.names)


def _application(name: str, own: tuple[Turn, ...], traced: Traced) -> Application | None:
    if not own:
        return None
    total_ns = sum(turn.end_ns - turn.start_ns for turn in own)
    return Application(name=name, ns=total_ns, user_ns=own_ns(traced.trace, own))


def application_turns(path: str | None, turns: Sequence[Turn]) -> tuple[str, tuple[Turn, ...]]:
    """Return the application's name and its turns: with those of the programs that it becomes by `exec`. Pure.

    It is the program that the system names, or else the one that ran when the goal came.
    """
    if not turns:
        return "", ()
    name = PurePosixPath(path).name[:_COMM_LENGTH] if path else turns[-1].name
    became: set[int] = set()
    own = []
    for turn in turns:
        if turn.name == name:
            became.add(turn.task)
        if turn.task in became:
            own.append(turn)
    names = dict.fromkeys(turn.name for turn in own)
    return ", then ".join(names), tuple(own)


def _programs(system: SystemDescription, turns: Sequence[Turn]) -> tuple[ProgramShare, ...]:
    """Return the programs of root and initramfs that had these turns; threads of the kernel have no file in them."""
    trees = (system.startup, system.initramfs.tree if system.initramfs is not None else None)
    entries = [one for tree in trees if tree is not None for one in tree.entries]
    files = {PurePosixPath(path).name[:_COMM_LENGTH] for path, entry in entries if entry.kind != "dir"}
    sums: defaultdict[str, int] = defaultdict(int)
    for turn in turns:
        if turn.name in files:
            sums[turn.name] += turn.end_ns - turn.start_ns
    return tuple(ProgramShare(name=name, ns=ns) for name, ns in sorted(sums.items(), key=lambda row: (-row[1], row[0])))


def _images(traced: Traced, system: SystemDescription) -> Images:
    launch = traced.recording.meta.launch
    # Behind a boot loader the emulator is given no kernel.
    named = (launch.kernel if launch is not None else None) or system.kernel.image
    kernel = Path(named) if named is not None else None
    unpacked = system.initramfs.tree if system.initramfs is not None else FileTree()
    return Images(
        kernel_bytes=_linked_bytes(kernel) if kernel is not None and kernel.is_file() else 0,
        tree_bytes=sum(_bytes(entry.source, entry.text) for _, entry in unpacked.entries),
    )


def _linked_bytes(kernel: Path) -> int:
    """Return what of a kernel has to be in memory: its loadable segments, or the whole file of a plain image."""
    image = kernel.read_bytes()
    try:
        return sum(size for _, _, size, _ in _core.elf_segments(_core.kernel_extract_vmlinux(image)))
    except ValueError:
        return len(image)


def _bytes(source: str | None, text: str | None) -> int:
    if text is not None:
        return len(text.encode())
    try:
        return Path(source).stat().st_size if source is not None else 0
    except OSError:
        return 0


class _Levers:
    """Tells which technique would take a stage, function or initcall away, with what it costs.

    It is one that the plan left out, one that says so and is not in use, or one whose text names the function.
    """

    def __init__(self, plan: Plan | None, context: Context, tried: Mapping[str, str]) -> None:
        """Ask the catalogue."""
        phases = plan.phases if plan is not None else ()
        self._left_out = {
            variant: one.id for phase in phases for one in phase.techniques if not one.take for variant in one.variants
        }
        self._context, self._tried = context, tried
        self._declared = levers(techniques.all_techniques(), context)
        self._words = {one: frozenset(_WORD.findall(f"{one.what} {one.why}")) for one in techniques.all_techniques()}

    def of(self, name: str) -> str:
        """Return the techniques for a part of the boot by its name, "" where none is known."""
        if name in self._left_out:
            return self._said(techniques.get(self._left_out[name]), f":{name}")
        levers = self._known(name)
        more = f" and {len(levers) - _MOST_NAMED} more" if len(levers) > _MOST_NAMED else ""
        return ", ".join(self._said(one) for one in levers[:_MOST_NAMED]) + more

    def names(self, initcall: str) -> bool:
        """Tell whether the catalogue knows this very initcall: such as a self-test."""
        return bool(self._known(initcall))

    def _known(self, name: str) -> tuple[Technique, ...]:
        if name in self._declared:
            return self._declared[name]
        naming = (one for one, words in self._words.items() if name in words)
        return tuple(one for one in naming if ask(one, self._context).answer is not Answer.NO)[:1]

    def _said(self, one: Technique, variant: str = "") -> str:
        said = [f"costs {' and '.join(one.risk.costs)}"] if one.risk.costs else []
        if one.builds and self._context.system.kernel.build is None:
            said.append("needs a kernel that bootlab builds")
        if one.id in self._tried:
            said.append(f"tried: {self._tried[one.id]}")
        return f"{one.id}{variant}" + (f" ({'; '.join(said)})" if said else "")
