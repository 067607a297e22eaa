# SPDX-License-Identifier: MIT
"""The one place that decides whether a technique applies: `check`, `try` and `stack` all ask here."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from bootlab.model.change import Change
from bootlab.techniques.base import Answer, Applies, Context, Source, Technique

_VERSION = r"(\d+\.\d+(?:\.\d+)?)"
_RANGE = re.compile(rf"(?:any|{_VERSION} and later|up to {_VERSION}|{_VERSION} to {_VERSION})(?= with |;|,|$)")


class KernelRange(msgspec.Struct, frozen=True):
    """The first and the last kernel version that a technique is for; None: no limit on that side."""

    first: tuple[int, ...] | None = None
    last: tuple[int, ...] | None = None

    def holds(self, version: tuple[int, ...]) -> bool:
        """Tell whether a version lies inside. `6.1` as the last version includes 6.1.192."""
        if self.first is not None and version < self.first:
            return False
        return self.last is None or version[: len(self.last)] <= self.last


def kernel_range(text: str) -> KernelRange:
    """Read the head of `Technique.kernels`: `any`, `5.2 and later`, `up to 6.3` or `2.6.30 to 6.7`.

    What follows `;`, `,` or ` with ` is for people. Raise ValueError for anything else.
    """
    found = _RANGE.match(text)
    if found is None:
        raise ValueError(f"no range of kernel versions: {text!r}")
    after, until, first, last = found.groups()
    return KernelRange(_numbers(after or first), _numbers(until or last))


def _numbers(text: str | None) -> tuple[int, ...] | None:
    return tuple(int(word) for word in text.split(".")) if text else None


def outside(technique: Technique, context: Context) -> Applies | None:
    """Answer no where the processor or the kernel's version is not one that the technique is for; None: inside."""
    wanted = technique.architectures
    if wanted and context.arch not in wanted:
        names = ", ".join(wanted)
        if not context.arch:
            return Applies.unknown(f"it is for {names}, and the processor is not known")
        return Applies.no(f"it is for {names}", f"architecture: {context.arch}")
    version = context.kernel_version
    if version and not kernel_range(technique.kernels).holds(version):
        return Applies.no(f"it is for kernels {technique.kernels}", f"Linux {'.'.join(map(str, version))}")
    return None


def ask(technique: Technique, context: Context) -> Applies:
    """Ask a technique, with what it leaves to this module: its scope, and what it must not take silence for.

    A technique that reads the console, the command line, the machine or the root tree gets an empty one where nothing
    was given (`context.unseen`); a `no` or `yes` that rests on it says nothing.
    """
    if answer := outside(technique, context):
        return answer
    missing = [source for source in technique.rests_on if source in context.unseen]
    if missing:
        return Applies.unknown(_takes(missing[0]))
    answer = technique.applies(context)
    if "console" in context.unseen and answer.silent:
        return Applies.unknown(_takes("console"), answer.evidence)
    if context.fragment and _left_open(context, answer):
        return Applies.unknown("a fragment or defconfig does not settle it; that takes the whole .config")
    return answer


class Proposal(msgspec.Struct, frozen=True):
    """What a technique says of a system, and the variants that can be tried on it."""

    applies: Applies
    changes: tuple[Change, ...] = ()


def propose(technique: Technique, context: Context, *, forced: bool = False) -> Proposal:
    """Ask a technique and collect its variants. `forced`: also where it says no, because somebody named it.

    What needs a kernel build does not apply to a system that names an image, and what would change nothing applies to
    none. Without a system (`bootlab check --config`) neither is known: the answer is about what was given.
    """
    answer = ask(technique, context)
    if answer.answer is Answer.NO and not forced:
        return Proposal(answer)
    changes = technique.changes(context)
    if "machine" in context.unseen:
        return Proposal(answer, changes)
    if technique.builds and context.system.kernel.build is None:
        # Forced or not: there is no configuration to change.
        reason = f"{answer.reason}; but bootlab does not build this kernel: the system names no kernel source"
        return Proposal(Applies.no(reason, answer.evidence))
    # A change that changes nothing would be compared with itself.
    changes = tuple(change for change in changes if change.apply(context.system) != context.system)
    if not changes and answer.answer is Answer.YES:
        answer = Applies.no(f"{answer.reason}; but there is nothing left to change", answer.evidence)
    return Proposal(answer, changes)


def levers(techniques: Iterable[Technique], context: Context) -> dict[str, tuple[Technique, ...]]:
    """Return what would take something of a boot away, by its name: techniques that say so and are not in use yet."""
    found: dict[str, tuple[Technique, ...]] = {}
    for technique in techniques:
        names = technique.ends_here(context)
        for name in names if names and ask(technique, context).answer is not Answer.NO else ():
            found[name] = (*found.get(name, ()), technique)
    return found


def _left_open(context: Context, answer: Applies) -> bool:
    """Tell whether an answer rests on an option that a fragment does not name."""
    missing = [option for option in answer.options if f"CONFIG_{option}" not in context.config]
    # For a yes one that is stated is enough.
    return bool(missing) and (answer.answer is Answer.NO or len(missing) == len(answer.options))


def _takes(source: Source) -> str:
    return f"it takes {_WORDS[source]} to tell"


_WORDS: dict[Source, str] = {
    "console": "a boot log",
    "cmdline": "the kernel command line",
    "machine": "a system file",
    "initramfs": "a system file with an initramfs",
}
