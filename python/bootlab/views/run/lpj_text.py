# SPDX-License-Identifier: MIT
"""Preset loops per jiffy for people: the value of one boot, and the validation of a stored one."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from bootlab.logs.delay_loop import DelayLoop
from bootlab.logs.lpj_value import Validation
from bootlab.model import figures
from bootlab.views.shown_text import one_line

_WORDS = {
    "measured": "calibrated at boot",
    "preset": "taken from a preset, nothing was measured",
    "computed": "computed, nothing was measured: a preset has nothing to save",
}


def value(found: DelayLoop) -> RenderableType:
    """Return what one boot says."""
    rows = [
        f"lpj={found.lpj}  ({_WORDS[found.source]})",
        f"tick rate: HZ={found.hz}" if found.hz else "tick rate: the log does not show it",
    ]
    if found.cost_ns is not None:
        rows.append(f"calibration: {figures.ms(found.cost_ns)} ms, which a preset saves")
    rows += [text for text in (found.board.model, found.board.cpu, found.board.clock) if text]
    return Text("\n".join(one_line(row, 200) for row in rows))


def validation(said: Validation) -> RenderableType:
    """Return the judgement with its numbers."""
    rows = [f"{said.judgement}: {said.reason}"]
    if said.measured is not None and said.expected is not None and said.ratio is not None:
        rows.append(
            f"measured {said.measured}, expected {said.expected}: {100 * (said.ratio - 1):+.2f} % "
            f"(tolerance {100 * said.tolerance:.2f} %)"
        )
    if not said.fits and said.use is not None:
        rows.append(f"store again: lpj={said.use}")
    lines = [
        Text(one_line(row, 400), "" if n else ("bold green" if said.fits else "bold red")) for n, row in enumerate(rows)
    ]
    return Group(*lines)
