# SPDX-License-Identifier: MIT
"""What the observer of a system is told while it boots."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.model.recording import Recording


def ending(label: str, recording: Recording) -> str:
    """Say in a word what came of a boot that did not reach its goal."""
    from bootlab.experiments import first_boot

    return first_boot.ending(recording) if label == first_boot.LABEL else recording.meta.outcome.value
