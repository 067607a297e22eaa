# SPDX-License-Identifier: MIT
"""What was found about one technique: the answer, its evidence with file and line, what to expect, what it costs."""

from __future__ import annotations

import msgspec

from bootlab.model.change import Change
from bootlab.techniques.base import Answer, Published, Risk


class EvidencePlace(msgspec.Struct, frozen=True):
    """Where the evidence stands. `line` counts from 1; None: the file as a whole."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        """Write it as compilers do: `boot.log:17`."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """What may be saved, and where the figure is from: never a promise.

    `basis`: `printed` or `computed` (out of the log that was given) or `published` (on another machine, named in
    `source`). `ns` is None where the publication gives words.
    """

    basis: str
    text: str
    ns: int | None = None
    source: str = ""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One technique's answer."""

    technique: str
    title: str
    answer: Answer
    reason: str
    evidence: str = ""
    place: EvidencePlace | None = None
    changes: tuple[Change, ...] = ()
    gains: tuple[Gain, ...] = ()
    when_not: str = ""
    cost: str = ""
    risk: Risk = Risk()
    both_ways: bool = False

    @property
    def sign(self) -> str:
        """Return what to expect: `faster (computed from the log)`, `… on the machines named (published)`, `not known`.

        No sign is ever certain before a boot: published gains belong to the machine beside them.
        """
        bases = {gain.basis for gain in self.gains}
        for basis in ("printed", "computed"):
            if basis in bases:
                return f"faster ({basis} from the log)"
        if "published" not in bases:
            return "not known: only a boot can tell"
        return f"{'faster or slower' if self.both_ways else 'faster'} on the machines named (published)"


def published_gain(said: Published) -> Gain:
    """Make a gain of a publication."""
    return Gain(basis="published", text=f"{said.gain} on {said.machine}", source=said.source)
