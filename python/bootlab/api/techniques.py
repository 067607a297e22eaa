# SPDX-License-Identifier: MIT
"""The catalogue of techniques, with those that plug-ins add."""

from __future__ import annotations

from bootlab.techniques import all_techniques, get
from bootlab.techniques.base import Technique

__all__ = ["Technique", "all_techniques", "facts", "get"]


def facts(technique: Technique) -> dict[str, object]:
    """Return everything a technique says about itself, as plain data."""
    return {
        "id": technique.id,
        "title": technique.title,
        "stage": technique.stage,
        "what": technique.what,
        "why": technique.why,
        "when_not": technique.when_not,
        "cost": technique.cost,
        "risk": technique.risk,
        "off_by_default": technique.risk.off_by_default,
        "architectures": technique.architectures,
        "kernels": technique.kernels,
        "conflicts": technique.conflicts,
        "requires": technique.requires,
        "late": technique.late,
        "published": technique.published,
        "references": technique.references,
    }
