# SPDX-License-Identifier: MIT
"""The catalogue: one file a technique, grouped by the stage it works on; `registry` lists them all."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.techniques.registry import Problem, UnknownTechnique, all_techniques, catalogue, get

__all__ = ["Problem", "UnknownTechnique", "all_techniques", "catalogue", "get"]


def __getattr__(name: str) -> object:
    """Load the catalogue at its first use: a plain boot asks no technique, and there are more than a hundred."""
    if name not in __all__:
        raise AttributeError(f"module 'bootlab.techniques' has no attribute {name!r}")
    from bootlab.techniques import registry  # noqa: PLC0415

    return getattr(registry, name)
