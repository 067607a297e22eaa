# SPDX-License-Identifier: MIT
"""Boots of one system under several dithers, made when they are asked for."""

from __future__ import annotations

import itertools
from concurrent.futures import Future

from bootlab.experiments import dither
from bootlab.experiments.bench import Bench
from bootlab.model.recording import Recording
from bootlab.model.sample import goals_ns
from bootlab.model.system import SystemDescription


class DitheredBoots:
    """The boots of one system, in the order of the dithers that are used. The first is the system as it is."""

    def __init__(self, bench: Bench, system: SystemDescription, label: str, *, dithers: tuple[int, ...] = ()) -> None:
        """Boot nothing yet. `dithers`: the numbers to take, in their order; (): 0, 1, 2 and so on."""
        self.system = system
        self._bench = bench
        self._label = label
        self._dithers = dithers
        self.flying: list[Future[Recording]] = []
        """Every boot that was asked for."""

    def ask(self, count: int) -> None:
        """Start boots until there are so many, as far as dithers are left. Raise what planning raises."""
        while len(self.flying) < self._limited(count):
            number = self._number(len(self.flying))
            label = self._label if number == 0 else f"{self._label} ({dither.name(number)})"
            self.flying.append(self._bench.submit(dither.dithered(self.system, number), label))

    def wait(self, count: int) -> tuple[Recording, ...]:
        """Return the recordings of the first so many boots, asked for here where they were not."""
        self.ask(count)
        return tuple(self._bench.wait_all(self.flying[: self._limited(count)]))

    @property
    def asked(self) -> int:
        """How many boots were asked for."""
        return len(self.flying)

    def there(self) -> tuple[Recording, ...]:
        """Return the recordings that are there now, up to the first that is not: nothing is waited for."""
        done = itertools.takewhile(lambda boot: boot.done() and not boot.cancelled(), self.flying)
        return tuple(boot.result() for boot in done)

    def recordings(self) -> tuple[Recording, ...]:
        """Return every boot that was asked for."""
        return self.wait(self.asked)

    def goals_ns(self) -> tuple[int, ...]:
        """Return where the goal came in every boot that was asked for, nanoseconds."""
        return goals_ns(self.recordings())

    def _limited(self, count: int) -> int:
        return min(count, len(self._dithers)) if self._dithers else count

    def _number(self, index: int) -> int:
        return self._dithers[index] if self._dithers else index
