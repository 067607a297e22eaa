# SPDX-License-Identifier: MIT
"""Boots are compared only if their clocks are those of the same processors: as many, in one mode, with one quantum."""

from __future__ import annotations

from collections.abc import Iterable

from bootlab.errors import MeasurementError
from bootlab.launch import extra_words
from bootlab.model.processors import Processors, why_not_compared
from bootlab.model.recording import Recording

HINT = (
    "boot all of them with one machine.cpus, clock.processors and clock.quantum_ns; `bootlab boot SYSTEM.toml "
    "--quantum 2000,5000,20000` shows the goals of several side by side"
)


def require_same_processors(recordings: Iterable[Recording]) -> None:
    """Raise MeasurementError for recordings of different numbers of processors, modes or quanta."""
    first: Processors | None = None
    for recording in recordings:
        its = processors_of(recording)
        if first is None:
            first = its
        if why := why_not_compared(first, its):
            raise MeasurementError(why, hint=HINT)


def processors_of(recording: Recording) -> Processors:
    """Return the processors of a recording. What 0.1 recorded of several had one running, and did not say so."""
    meta = recording.meta
    if meta.processors != Processors() or meta.launch is None or meta.mode != "exact":
        return meta.processors
    count = extra_words.processors(meta.launch)
    return Processors(count=count, mode="shared", alone=True) if count > 1 else meta.processors
