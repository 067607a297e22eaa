# SPDX-License-Identifier: MIT
"""The times of a recording."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from bootlab.analysis.same_processors import processors_of
from bootlab.analysis.stages import stages_of
from bootlab.history.boot_times import BOARD_BOOTED, DITHER, PROCESSORS, TOTAL, BootTimes, Side
from bootlab.model import figures
from bootlab.model.recording import Recording


def of_recording(recording: Recording, *, dither: int = 0) -> BootTimes:
    """Return the times of a recording's stages and of the whole boot. `dither`: the number of the one it lies under."""
    meta = recording.meta
    values = {stage.name: stage.duration_ns for stage in stages_of(recording)}
    missing: dict[str, str] = {}
    if meta.goal_ns is not None and recording.ok:
        values[TOTAL] = meta.goal_ns
    elif meta.end_ns is not None:
        missing[TOTAL] = f"the goal never came: more than {figures.ms(meta.end_ns, meta.unsure_ns)} ms"
    else:
        missing[TOTAL] = "the goal's time is not known"
    return BootTimes(
        key=meta.key or hashlib.sha256(recording.console).hexdigest(),
        outcome=meta.outcome,
        clock=meta.goal_clock,
        exact=meta.mode == "exact" and meta.goal_clock == "virtual",
        values=values,
        not_measured=missing,
        insns=meta.goal_insns,
        path=recording.path or "",
        facts=_facts(recording) | ({DITHER: str(dither)} if dither else {}),
        by_host=recording.by_host,
        # An exact boot that is kept stands for every later one of the same system: it has no date of its own.
        at="" if meta.mode == "exact" and meta.goal_clock == "virtual" else meta.made_at,
    )


def side_of(name: str, recordings: Iterable[Recording], dithers: Sequence[int] = ()) -> Side:
    """Return boots as one side, in their order. `dithers`: the numbers of those they lie under; (): none does."""
    made = tuple(recordings)
    numbers = dithers or (0,) * len(made)
    return Side(
        name=name, boots=tuple(of_recording(one, dither=dither) for one, dither in zip(made, numbers, strict=False))
    )


def _facts(recording: Recording) -> dict[str, str]:
    meta = recording.meta
    facts = {"system": meta.system_name, "cmdline": meta.cmdline, "emulator": meta.emulator_version}
    facts |= {f"sha256 of {name}": digest for name, digest in meta.artefact_sha256.items()}
    facts |= {"accelerator": meta.accel, "kernel patches": " ".join(meta.kernel_patches)}
    facts |= {PROCESSORS: processors_of(recording).text, BOARD_BOOTED: meta.board}
    if recording.kernel_config:
        text = "\n".join(f"{name}={value}" for name, value in sorted(recording.kernel_config.items()))
        facts["kernel options"] = text
    return {name: value for name, value in facts.items() if value}
