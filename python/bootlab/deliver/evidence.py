# SPDX-License-Identifier: MIT
"""What is handed over: each kept change with the boots that prove it; a document beside the faster system."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from bootlab import techniques
from bootlab.errors import UserError
from bootlab.model.change import Change
from bootlab.model.contrast import Contrast
from bootlab.model.sample import Spread
from bootlab.model.system import SystemDescription
from bootlab.recordings import sealed
from bootlab.results.document import RunDocument, StackStepRow
from bootlab.techniques.base import Risk, Technique

FORMAT, VERSION = "bootlab-hand-over", 1
CHANGES: Final = "changes.json"
_FORM = sealed.Form(name=FORMAT, version=VERSION, sealed_since=1, oldest=1)


class HandedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A kept change. `step`: the ids of all changes that were taken in the same step, whose times these are.

    `before`, `after`: the goal's times without and with the step, nanoseconds. `cost_ns`: how much later the result
    comes without this change alone; None: not booted so. `proof`: what showed that the change was active.
    """

    change: Change
    title: str = ""
    cost: str = ""
    risk: Risk = Risk()
    step: tuple[str, ...] = ()
    before: Spread | None = None
    after: Spread | None = None
    cost_ns: int | None = None
    proof: str = ""

    @property
    def slug(self) -> str:
        """Its id as a part of a file's name."""
        return "".join(char if char.isalnum() or char in "-_" else "-" for char in self.change.id)


class HandOver(msgspec.Struct, frozen=True, kw_only=True):
    """All changes of a result in their order. `base_cmdline`, `cmdline`: what a boot loader passes before and after.

    `base_ns`, `final_ns`: the goal's time of both, nanoseconds on `clock`; None: it was not reached. `tree`: where the
    result's root tree lies. `contrasts`: what checks say of both, security and function.
    """

    format: str = FORMAT
    version: int = VERSION
    name: str
    run: str
    made: str
    clock: str
    base_cmdline: str
    cmdline: str
    changes: tuple[HandedChange, ...]
    tree: Literal["root", "initramfs"] = "root"
    base_ns: int | None = None
    final_ns: int | None = None
    contrasts: tuple[Contrast, ...] = ()


def of_results(results: RunDocument, base: SystemDescription) -> HandOver | None:
    """Return what a run of a system hands over; None where it kept no change."""
    stack = results.stack
    if stack is None or not stack.changes:
        return None
    return HandOver(
        name=results.system_name,
        run=results.id,
        made=results.finished or results.started,
        clock=results.base.clock,
        base_cmdline=str(base.cmdline_to_pass),
        tree="initramfs" if base.root is None else "root",
        cmdline=stack.system.cmdline,
        changes=tuple(_handed(results, change) for change in stack.changes),
        base_ns=results.base.middle_ns,
        final_ns=stack.final.middle_ns,
        contrasts=results.contrasts,
    )


def _handed(results: RunDocument, change: Change) -> HandedChange:
    stack, known = results.stack, _technique(change.technique)
    step = next((one for one in reversed(stack.steps) if change.id in _ids(one)), None) if stack is not None else None
    alone = next((row for row in stack.leave_one_out if row.change_id == change.id), None) if stack else None
    said = next((row for row in results.techniques if row.id == change.technique), None)
    return HandedChange(
        change=change,
        title=known.title if known is not None else said.title if said is not None else "",
        cost=known.cost if known is not None else "",
        risk=known.risk if known is not None else said.risk if said is not None else Risk(),
        step=_ids(step) if step is not None else (),
        before=_spread(step.before, step.before_ns) if step is not None else None,
        after=_spread(step.after, step.after_ns) if step is not None else None,
        cost_ns=alone.cost_ns if alone is not None else None,
        proof=(step.each.get(change.id) or step.evidence) if step is not None else "",
    )


def _ids(step: StackStepRow) -> tuple[str, ...]:
    return step.members or (step.change_id,)


def _spread(several: Spread | None, one_ns: int) -> Spread:
    return several or Spread(boots=1, median_ns=one_ns, first_ns=one_ns, last_ns=one_ns)


def _technique(name: str) -> Technique | None:
    try:
        return techniques.get(name)
    except UserError:
        return None


def save(over: HandOver, folder: Path) -> None:
    """Write the document. Raise OSError."""
    sealed.keep(folder / CHANGES, over)


def load(folder: Path) -> HandOver:
    """Read the document of a hand-over's folder, or of a run that has one. Raise UserError."""
    places = [folder, *(folder / below for below in ("build-system", "optimized/build-system", "faster/build-system"))]
    file = next((place / CHANGES for place in places if (place / CHANGES).is_file()), None)
    if file is None:
        raise UserError(
            f"{folder} holds no {CHANGES}", hint="name optimized/ or faster/ of a run: bootlab optimize, or stack"
        )
    try:
        return sealed.document_of(file.read_bytes(), _FORM, HandOver)[0]
    except (sealed.NotWhole, sealed.OtherForm, OSError) as fault:
        raise UserError(f"{file} cannot be used: {fault}", hint="copy it again from the run's folder") from fault
