# SPDX-License-Identifier: MIT
"""Proof that a boot loader was built another way, and what it printed; and whether there is one that can be built."""

from __future__ import annotations

import re

from bootlab import _core
from bootlab.model.boot_loader import Loader
from bootlab.model.recording import Recording
from bootlab.model.timeline import KERNEL_MARKS
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence
from bootlab.techniques.built import artefacts_differ
from bootlab.techniques.evidence import bare, quote, quoted

_BEHIND = (*KERNEL_MARKS, "user-space")
"""Marks that no boot loader comes behind."""
# What the kernel says first (init/main.c); before it, all lines are the boot loader's.
_KERNEL = ("Booting Linux on ", "Linux version ")


def given_loader(context: Context) -> Loader | Applies:
    """Return the boot loader of a system; without one, the answer that says so."""
    if context.system.loader is None:
        return Applies.no("the machine starts without a boot loader", "the system file has no [loader]")
    return context.system.loader


def built_loader(context: Context) -> Loader | Applies:
    """Return the boot loader of a system, if bootlab builds it; else the answer why nothing can be changed in it."""
    loader = given_loader(context)
    if isinstance(loader, Loader) and loader.build is None:
        return Applies.no("bootlab does not build this boot loader", "the table [loader] names no source")
    return loader


def value_of(recording: Recording, option: str) -> str:
    """Return an option of the boot loader that was booted; `n` for one that its configuration does not have."""
    return recording.loader_config.get(f"CONFIG_{option}", "n")


def said_lines(recording: Recording) -> tuple[str, ...]:
    """Return what was printed before the kernel's first line, or before it was entered: a quiet one prints nothing."""
    found: list[str] = []
    entered_ns = min((mark.ns for mark in recording.marks if mark.name in _BEHIND), default=None)
    for line in recording.lines:
        if _core.kernel_stamp_ns(line.text) is not None or line.text.startswith(_KERNEL):
            break
        if entered_ns is not None and line.first_ns is not None and line.first_ns >= entered_ns:
            break
        found.append(bare(line.text))
    return tuple(found)


def said(recording: Recording, pattern: str) -> str:
    """Return the boot loader's first line that a regular expression finds, fit to be quoted; "" when there is none."""
    compiled = re.compile(pattern)
    return next((quote(line) for line in said_lines(recording) if compiled.search(line)), "")


def no_longer_said(before: Evidence, after: Evidence, pattern: str) -> Effect:
    """Prove an effect by a line of the boot loader that is printed no more."""
    was, now = said(before.recording, pattern), said(after.recording, pattern)
    if not was:
        return Effect(False, f"the boot loader never printed {quoted(pattern)}")
    return Effect(not now, f"the boot loader still prints: {now}" if now else f"gone from its lines: {was}")


def loaders_differ(before: Evidence, after: Evidence) -> Effect:
    """Prove that another boot loader was booted, by its digest; with its size before and after."""
    return artefacts_differ(before, after, "loader", "boot loader", "boot loader")


def loader_built_with(before: Evidence, after: Evidence, options: tuple[tuple[str, str], ...]) -> Effect:
    """Prove that the boot loader which ran was built with options that the base's was built without.

    One changed option is enough: of a list, those that the base does not have stay as they are.
    """
    image = loaders_differ(before, after)
    if not image.shown:
        return image
    if not before.recording.loader_config or not after.recording.loader_config:
        return Effect(False, "the recording does not contain the configuration that the boot loader was built with")
    changed: list[str] = []
    for option, value in options:
        was, now = value_of(before.recording, option), value_of(after.recording, option)
        if now != value.strip('"'):
            return Effect(False, f"CONFIG_{option} is {now} in the boot loader that ran, not {value}")
        if was != now:
            changed.append(f"CONFIG_{option}: {was} -> {now}")
    if not changed:
        return Effect(False, "the base's boot loader was built with the same options")
    return Effect(True, f"{', '.join(changed[:4])}; {image.evidence}")
