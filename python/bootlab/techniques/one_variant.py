"""One variant of a technique, named `ID:LABEL`: where each boot takes minutes, nobody wants all of them."""

from __future__ import annotations

import copy
from typing import cast

from bootlab.model.change import Change
from bootlab.techniques.base import Applies, Context, Technique


def only(technique: Technique, label: str) -> Technique:
    """Return the technique with the variant of this label alone. It keeps its id, and everything else."""

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
