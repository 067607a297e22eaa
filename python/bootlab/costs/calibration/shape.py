# SPDX-License-Identifier: MIT
"""How many of each a processor has, from what its memory, its branches and new code took."""

from __future__ import annotations

import statistics

from bootlab.costs.calibration.curve import difference, up_to
from bootlab.costs.calibration.lines import PrintedLines
from bootlab.costs.cores import CoreFile, Shape

LINE = 64
_MOST_WINDOW, _MOST_WAYS = 512, 32
_LATER = 1.5
"""Two misses that no longer overlap take twice as long as one: half of that is the limit."""
_LEVELS = {("1", "Data"): "l1d", ("1", "Unified"): "l1d", ("1", "Instruction"): "l1i", ("2", "Unified"): "l2"}
_WAYS = {"l1i": 4, "l1d": 4, "l2": 8, "l3": 16}


class ShapeFound:
    """A shape, and of each part whether it was measured, told by the kernel, or taken from the cores known."""

    def __init__(self, lines: PrintedLines, cycle_ps: float, known: tuple[CoreFile, ...]) -> None:
        """Look at a run; `known`: the cores of the same architecture, for what cannot be measured."""
        self._lines = lines
        self._cycle_ps = cycle_ps
        self._known = known
        self.said: list[str] = []
        self.caches = self._caches()
        self.shape = self._shape()

    def _shape(self) -> Shape:
        window = self._window()
        in_order = window == 0
        dtlb, tlb = self._data_tlb()
        return Shape(
            window=window,
            misses=self._misses(),
            stores=self._stores(in_order=in_order),
            streams=self._streams(),
            history=self._history(),
            itlb=self._code_tlb(dtlb),
            dtlb=dtlb,
            tlb=tlb,
            source="shape",
            **{level: self._words(level) for level in ("l1i", "l1d", "l2", "l3")},
        )

    def size(self, level: str) -> int:
        """Return a cache's bytes; 0: there is none."""
        return self.caches.get(level, (0, 0, 0))[0]

    def _typical(self, name: str, *, in_order: bool | None = None) -> int:
        alike = [core.shape for core in self._known if in_order is None or (core.shape.window == 0) == in_order]
        value: int = round(
            statistics.median(getattr(one, name) for one in alike or [core.shape for core in self._known])
        )
        self.said.append(f"{name} {value} (not measured: the median of the cores that bootlab knows)")
        return value

    def _window(self) -> int:
        curve = self._lines.curve("window", "fillers")
        used = self._lines.one("used")
        if used is None or len(curve) < 2:
            self.said.append(f"window: {self._lines.why_not('window')}")
            return self._typical("window")
        alone = min(value.low for size, value in curve.items() if size <= 16)
        if used.spread.low > _LATER * alone:
            self.said.append("window 0: a load waits behind an instruction that needs the one before it")
            return 0
        found = up_to(curve, _LATER * alone)
        window = min(_MOST_WINDOW, (sum(found) // 2 if found else max(curve)) + 3)
        self.said.append(f"window {window}: two misses with {found[0] if found else max(curve)} between still overlap")
        return window

    def _stores(self, *, in_order: bool) -> int:
        curve = self._lines.curve("stores", "fillers")
        if in_order or len(curve) < 2:
            return self._typical("stores", in_order=in_order)
        alone = min(value.low for size, value in curve.items() if size <= 4)
        found = up_to(curve, _LATER * alone)
        if found is None or found[0] == max(curve):
            return self._typical("stores", in_order=in_order)
        self.said.append(f"stores {sum(found) // 2}: so many between two misses that overlap")
        return max(1, sum(found) // 2)

    def _misses(self) -> int:
        curve = self._lines.curve("at_once", "chains")
        if 1 not in curve or len(curve) < 2:
            return self._typical("misses")
        found = max(1, round(curve[1].low / min(value.low for value in curve.values())))
        self.said.append(f"misses {found}: chains through memory, one against the best of {max(curve)}")
        return found

    def _streams(self) -> int:
        curve, one = self._lines.curve("runs", "many"), self._lines.curve("at_once", "chains").get(1)
        if not curve or one is None:
            return self._typical("streams")
        best = min(value.low for value in curve.values())
        followed = [many for many, value in curve.items() if value.low <= 2.5 * best and value.low < one.low / 2]
        found = max(followed, default=0)
        self.said.append(f"streams {found}: runs of lines that are there before they are asked for")
        return found

    def _history(self) -> int:
        same, none = self._lines.curve("history", "distance"), self._lines.curve("history_none", "distance")
        drawn, foreseen = (self._lines.one("branch", random=bit) for bit in (1, 0))
        if drawn is None or foreseen is None or not same:
            return self._typical("history")
        wrong = drawn.spread.low - foreseen.spread.low
        found = 0
        for distance, above in sorted(difference(same, none).items()):
            if wrong <= 0 or above.low > wrong / 3:
                break
            found = distance + 2
        self.said.append(f"history {found}: branches between two by the same bit, the second of which is foreseen")
        return min(64, found)

    def _data_tlb(self) -> tuple[int, int]:
        lost = difference(self._lines.curve("pages", "lines"), self._lines.curve("packed", "lines"))
        first = up_to(lost, self._cycle_ps)
        if first is None:
            return self._typical("dtlb"), self._typical("tlb")
        dtlb = max(first[0], sum(first) // 2 if first[0] != first[1] else first[0])
        beyond = sorted(size for size in lost if size > first[0])[:3]
        if not beyond:
            self.said.append(f"dtlb {dtlb}: as many pages as were tried")
            return dtlb, 0
        plateau = statistics.median(lost[size].low for size in beyond)
        second = up_to(lost, 2 * plateau + 2 * self._cycle_ps)
        tlb = second[0] if second is not None and second[0] > first[1] else 0
        self.said.append(f"dtlb {dtlb}, tlb {tlb}: a line in each of so many pages, against as many lines together")
        return dtlb, tlb

    def _code_tlb(self, dtlb: int) -> int:
        lost = difference(self._lines.curve("code_pages", "jumps"), self._lines.curve("code_packed", "jumps"))
        least = min((value.low for value in lost.values()), default=0)
        found = up_to(lost, 1.6 * least + self._cycle_ps / 4)
        if found is None:
            self.said.append(f"itlb {dtlb}: as dtlb ({self._lines.why_not('code_pages')})")
            return dtlb
        self.said.append(f"itlb {found[0]}: a jump in each of so many pages")
        return found[0]

    def _caches(self) -> dict[str, tuple[int, int, int]]:
        """Return bytes, ways and line of each cache: as the kernel tells them, else where the chase slows down."""
        found = {}
        for row in self._lines.all("cache"):
            key = (row.values.get("level", ""), row.values.get("type", ""))
            level = "l3" if key[0] == "3" else _LEVELS.get(key, "")
            size = row.values.get("size", "").removesuffix("K")
            if not level or not size.isdigit() or not 0 < int(size) < 1 << 20:
                continue
            line = row.number("coherency_line_size") or LINE
            found[level] = (int(size) << 10, row.number("ways_of_associativity") or _WAYS[level], line)
        if "l1d" in found:
            self.said.append("caches: as the kernel tells them")
            return self._as_far_as_it_helps({"l1i": found["l1d"], **found})
        return self._by_latency()

    def _as_far_as_it_helps(self, found: dict[str, tuple[int, int, int]]) -> dict[str, tuple[int, int, int]]:
        """Return the caches with as much of L3 as this processor gets of it: others may have the rest."""
        curve = self._lines.curve("chase", "bytes")
        size, ways, line = found.get("l3", (0, 0, 0))
        if not size or max(curve, default=0) < 1.5 * size:
            return found
        memory = curve[max(curve)].low
        beyond_l2 = found.get("l2", (0,))[0]
        helps = [one for one, value in curve.items() if beyond_l2 < one <= size and value.low < memory / 2]
        if not helps or max(helps) > size / 2:
            return found
        self.said.append(f"l3 {max(helps) >> 10} of {size >> 10} KiB: beyond that a chase is as slow as in memory")
        return {**found, "l3": (max(helps), ways, line)}

    def _by_latency(self) -> dict[str, tuple[int, int, int]]:
        curve = self._lines.curve("chase", "bytes")
        levels, limit = [], 0.0
        for size, value in sorted(curve.items()):
            if not limit or value.low > limit:
                levels.append(size)
                limit = value.low * 1.6
        # Each level begins where the one before it ends; the last one is memory.
        ends = [max(s for s in curve if s < begin) for begin in levels[1:]]
        if not ends:
            self.said.append("caches: not found; a small one is assumed")
            ends = [32 << 10]
        names = ("l1d", "l2", "l3")
        sizes = ", ".join(f"{end >> 10} KiB" for end in ends[:3])
        self.said.append(f"caches: where a chase slows down, at {sizes}; ways assumed")
        found = {name: (1 << (end.bit_length() - 1), _WAYS[name], LINE) for name, end in zip(names, ends, strict=False)}
        return {"l1i": found["l1d"], **found}

    def _words(self, level: str) -> str:
        """Write a cache so that its sets are a power of two, as the model needs them."""
        if level not in self.caches:
            return ""
        size, ways, line = self.caches[level]
        line = line if line in {16, 32, 64, 128, 256} else LINE
        ways = min(_MOST_WAYS, max(1, ways))
        sets = max(1, size // (ways * line))
        sets = 1 << (sets.bit_length() - 1)
        # What the sets leave out goes into more ways, as far as that comes nearer to the size.
        ways = min(_MOST_WAYS, max(ways, size // (sets * line)))
        return f"{sets * ways * line}:{ways}:{line}"
