# SPDX-License-Identifier: MIT
"""All techniques, in one place: a technique that does not stand here does not exist."""

from __future__ import annotations

import copy
import difflib
import functools
from importlib.metadata import EntryPoint, entry_points
from typing import cast

import msgspec

from bootlab.errors import UserError
from bootlab.model.change import Change
from bootlab.techniques.base import Applies, Context, Technique
from bootlab.techniques.firmware import pc
from bootlab.techniques.image import build, compression
from bootlab.techniques.init import busybox, first_program, start_scripts, systemd_set_up, systemd_units, tables
from bootlab.techniques.initramfs import built_in_drivers, builtin, contents, unpacking
from bootlab.techniques.installed import ENTRY_POINTS
from bootlab.techniques.kernel import (
    buses,
    clocks,
    console,
    delay_loop,
    drivers,
    initcall_groups,
    initcalls,
    memory,
    network,
    probes,
    processors,
    security,
    self_tests,
)
from bootlab.techniques.loader import falcon
from bootlab.techniques.loader import features as loader_features
from bootlab.techniques.loader import start as loader_start
from bootlab.techniques.options import debugging, features, start
from bootlab.techniques.storage import root
from bootlab.techniques.userspace import code_size, dynamic_linking, toolchain

BUILT_IN: tuple[Technique, ...] = (
    *pc.TECHNIQUES,
    # the boot loader
    *loader_features.TECHNIQUES,
    *loader_start.TECHNIQUES,
    *falcon.TECHNIQUES,
    # the kernel's image
    *compression.TECHNIQUES,
    *build.TECHNIQUES,
    # the kernel
    *console.TECHNIQUES,
    *self_tests.TECHNIQUES,
    *delay_loop.TECHNIQUES,
    *clocks.TECHNIQUES,
    *processors.TECHNIQUES,
    *initcalls.TECHNIQUES,
    *initcall_groups.TECHNIQUES,
    *probes.TECHNIQUES,
    *drivers.TECHNIQUES,
    *buses.TECHNIQUES,
    *network.TECHNIQUES,
    *memory.TECHNIQUES,
    *security.TECHNIQUES,
    # tables of options
    *start.TECHNIQUES,
    *debugging.TECHNIQUES,
    *features.TECHNIQUES,
    # from the initramfs to the application
    *unpacking.TECHNIQUES,
    *contents.TECHNIQUES,
    *built_in_drivers.TECHNIQUES,
    *builtin.TECHNIQUES,
    *root.TECHNIQUES,
    *start_scripts.TECHNIQUES,
    *tables.TECHNIQUES,
    *busybox.TECHNIQUES,
    *systemd_units.TECHNIQUES,
    *systemd_set_up.TECHNIQUES,
    *first_program.TECHNIQUES,
    *toolchain.TECHNIQUES,
    *dynamic_linking.TECHNIQUES,
    *code_size.TECHNIQUES,
)
"""In the order in which they are listed and tried: from power-on to the application."""


class UnknownTechnique(UserError):
    """No technique has this id."""

    def __init__(self, technique_id: str, known: tuple[str, ...]) -> None:
        """Name the ids that look alike."""
        close = difflib.get_close_matches(technique_id[:100], known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(close)}?   " if close else ""
        super().__init__(f"there is no technique {technique_id[:100]!r}", hint=f"{hint}all of them: bootlab techniques")
        self.technique_id = technique_id


class Problem(msgspec.Struct, frozen=True):
    """A technique of a third party that could not be taken in, and why."""

    entry_point: str
    reason: str


class Catalogue(msgspec.Struct, frozen=True):
    """Built-in techniques, those of third parties, and what went wrong with the latter."""

    techniques: tuple[Technique, ...]
    problems: tuple[Problem, ...] = ()


def load(points: tuple[EntryPoint, ...]) -> Catalogue:
    """Take in the techniques of third parties. An error in one of them is reported, never raised."""
    techniques = list(BUILT_IN)
    problems: list[Problem] = []
    for point in points:
        name = f"{point.name} = {point.value}"
        try:
            found = point.load()
            technique = found() if isinstance(found, type) else found
        except Exception as error:  # noqa: BLE001 - foreign code may raise anything when it is imported
            problems.append(Problem(name, f"{type(error).__name__}: {error}"))
            continue
        if not isinstance(technique, Technique):
            problems.append(Problem(name, f"{type(technique).__name__} is not a bootlab.techniques.base.Technique"))
        elif missing := unfilled(technique):
            problems.append(Problem(name, f"these are not filled: {', '.join(missing)}"))
        elif any(known.id == technique.id for known in techniques):
            problems.append(Problem(name, f"the id {technique.id!r} is taken"))
        else:
            techniques.append(technique)
    return Catalogue(tuple(techniques), tuple(problems))


def unfilled(technique: Technique) -> tuple[str, ...]:
    """Return the names of class variables that must be filled and are not."""
    texts = ("id", "title", "stage", "what", "why", "when_not", "cost", "kernels")
    missing = [
        name for name in texts if not isinstance(getattr(technique, name, None), str) or not getattr(technique, name)
    ]
    return tuple(missing) if technique.references else (*missing, "references")


@functools.cache
def catalogue() -> Catalogue:
    """Return everything that is installed, read once."""
    return load(tuple(entry_points(group=ENTRY_POINTS)))


def all_techniques() -> tuple[Technique, ...]:
    """Return every technique."""
    return catalogue().techniques


def only(technique: Technique, label: str) -> Technique:
    """Return the technique with the variant of this label alone. It keeps its id, and everything else.

    Where each boot takes minutes, nobody wants all of them.
    """

    class OneVariant(type(technique)):  # type: ignore[misc] # whatever class the technique has
        def applies(self, context: Context) -> Applies:
            said = super().applies(context)
            labels = [change.label for change in super().changes(context)]
            if labels and label not in labels:
                there = ", ".join(one for one in labels if one)
                return Applies.no(f"it has no variant {label[:60]!r} here", f"there are: {there or 'none with a name'}")
            return cast("Applies", said)

        def changes(self, context: Context) -> tuple[Change, ...]:
            return tuple(change for change in super().changes(context) if change.label == label)

    chosen = copy.copy(technique)
    # A technique may be a frozen row; the copy is nobody else's yet.
    object.__setattr__(chosen, "__class__", OneVariant)
    return chosen


def get(technique_id: str) -> Technique:
    """Return one technique by its id; of `ID:LABEL` one with that variant only.

    Raise UnknownTechnique with the ids that look alike.
    """
    wanted, colon, label = technique_id.partition(":")
    for technique in all_techniques():
        if technique.id == wanted:
            return only(technique, label) if colon else technique
    raise UnknownTechnique(wanted, tuple(t.id for t in all_techniques()))
