# SPDX-License-Identifier: MIT
"""A core's figures from what its chains of instructions took: each from the spread of its repeats, or unknown.

What a program without rights cannot measure has the range of all cores of the architecture that bootlab knows, and says
so. Nothing here was fitted to a program or a boot.
"""

from __future__ import annotations

import math

from bootlab.costs.calibration.curve import between, difference
from bootlab.costs.calibration.lines import PrintedLines, PrintedRow
from bootlab.costs.calibration.shape import LINE, ShapeFound
from bootlab.costs.cores import CoreFile, Figure
from bootlab.model.costs import Between

MEASURED = "measured"
_CHAINS = {
    "move": "move_chain", "shifted": "shift_chain", "mul": "mul_chain", "mul_every": "mul_many",
    "alu_every": "add_many", "branch_every": "skip_many", "simd_every": "vector_many", "fp_every": "float_add_many",
    "fdiv": "float_divide_chain", "fdiv_every": "float_divide_many", "atomic": "atomic_chain",
    "atomic_every": "atomic_chain", "load_every": "load_many", "store_every": "store_many", "issue": "mix_many",
    "div_every": "div_many",
}  # fmt: skip
_WHOLE = {"alu": 1, "memory": 0, "branch": 1, "string": 0}
_RIGHTS = {
    "system": "a program has no right to execute them",
    "port": "a program has no right to execute them",
    "device_ns": "a program has no right to reach a device",
}
_STEP = 3
"""Cycles from a number that is drawn to the branch that it decides: a shift, a mask, a test (guest/calibrate)."""


class Figures:
    """The figures of one run. `cycle_ps`: what a dependent addition takes, one cycle on every core that is known."""

    def __init__(self, lines: PrintedLines, cycle_ps: float, found: ShapeFound, known: tuple[CoreFile, ...]) -> None:
        """Compute all of them."""
        self._lines = lines
        self._cycle_ps = cycle_ps
        self._found = found
        self._known = known
        self.sources = {MEASURED: "bootlab board calibrate: least and median of the repeats of each measurement"}
        self.all: dict[str, Figure] = {}
        self._instructions()
        self._memory()
        self._flow()

    def _instructions(self) -> None:
        for name, exactly in _WHOLE.items():
            self._put(name, Between.of(exactly), "one", "by the model's definition: a cycle is a dependent addition")
        for name, chain in _CHAINS.items():
            self._take(name, chain)
        self._wide("div", [*self._lines.all("div_chain")], "div_chain")
        floats = [row for kind in ("add", "multiply") for row in self._lines.all(f"float_{kind}_chain")]
        self._wide("fp", floats, "float_add_chain")
        for name, kind in (("crypto", "chain"), ("crypto_every", "many")):
            self._wide(name, [*self._lines.all(f"aes_{kind}"), *self._lines.all(f"crc_{kind}")], "aes_chain")
        vector = self._cycles(self._lines.one("vector_chain"))
        if vector is None:
            self._unknown("simd", self._lines.why_not("vector_chain"))
        else:
            # An addition is the fastest of its class; of the others nothing is measured.
            high = max(vector.high, self._range("simd").high)
            self._put(
                "simd", Between(vector.low, high), "vectors",
                "an addition of vectors was measured; slower ones of the class: the highest of the cores known",
            )  # fmt: skip

    def _memory(self) -> None:
        chase, pages = self._lines.curve("chase", "bytes"), self._lines.curve("chase_pages", "bytes")
        l1, l2, l3 = (self._found.size(level) for level in ("l1d", "l2", "l3"))
        most, largest = max(chase, default=0), max(l1, l2, l3)
        self._latency("l1d_hit", between(chase, 0, l1 * 0.75))
        if l2:
            self._latency("l2_hit", between(chase, 1.5 * l1, l2 * 0.6))
        if l3:
            self._latency("l3_hit_ns", between(chase, min(2.5 * l2, 0.75 * l3), l3), ns=True)
        memory = between(chase, max(1.5 * largest, 0.7 * most), most) if most > largest else None
        if memory is not None and (near := between(pages, most, most)) is not None:
            memory = Between(min(memory.low, near.low), memory.high)
        self._latency("dram_ns", memory, ns=True, why="the largest chase fits into the caches")
        runs = self._lines.curve("runs", "many").get(1)
        self._latency("prefetched", runs)
        self._rate(most)
        lost = difference(self._lines.curve("pages", "lines"), self._lines.curve("packed", "lines"))
        shape = self._found.shape
        self._latency("tlb_hit", between(lost, 1.1 * shape.dtlb, max(2.2 * shape.dtlb, 0.6 * shape.tlb)))
        self._latency("walk", between(lost, 1.1 * max(shape.tlb, shape.dtlb), 2 * max(shape.tlb, shape.dtlb)))

    def _rate(self, bytes_: int) -> None:
        read, copy = (self._lines.one(name, bytes=bytes_) for name in ("read", "copy"))
        if read is None or not read.spread.low:
            self._unknown("line_mb_s", self._lines.why_not("read"))
            return
        mb_s = [1024e6 / ps for ps in (read.spread.low, read.spread.high)]
        if copy is not None and copy.spread.low:
            mb_s += [2 * 1024e6 / ps for ps in (copy.spread.low, copy.spread.high)]
        self._put("line_mb_s", Between(min(mb_s), max(mb_s)))

    def _flow(self) -> None:
        drawn, foreseen = (self._lines.one("branch", random=bit) for bit in (1, 0))
        if drawn is None or foreseen is None or drawn.spread.low <= foreseen.spread.low:
            self._unknown("mispredict", self._lines.why_not("branch"))
        else:
            # Half of the drawn branches are foreseen by chance.
            wrong = [2 * (drawn.spread.low - foreseen.spread.low), 2 * (drawn.spread.high - foreseen.spread.low)]
            low, high = (ps / self._cycle_ps for ps in wrong)
            self._put("mispredict", Between(max(1.0, low - _STEP), high))
        jumps, adds = (self._cycles(self._lines.one(name)) for name in ("jump_many", "add_many"))
        if jumps is None or adds is None:
            self._unknown("taken", self._lines.why_not("jump_many"))
        else:
            self._put("taken", Between(max(0.0, jumps.low - 8 * adds.high), max(0.0, jumps.high - 7 * adds.low)))
        forward, hit = self._cycles(self._lines.one("forward_chain")), self.all["l1d_hit"].between
        if forward is None:
            self._unknown("forward", self._lines.why_not("forward_chain"))
        else:
            self._put("forward", Between(min(forward.low, hit.high), max(forward.high, hit.high)))
        self._code()
        self._system()

    def _code(self) -> None:
        """Put what a line of code beyond L1I takes, in order and in any order. Without it, it is as late as data."""
        near, far = self._found.size("l1i") // 2 // LINE, self._found.size("l1i") * 4 // LINE
        ends = []
        for name in ("code_in_order", "code_anywhere"):
            curve = self._lines.curve(name, "jumps")
            if near in curve and far in curve:
                ends.append(difference({far: curve[far]}, {far: curve[near]})[far].scaled(1 / self._cycle_ps))
        if len(ends) == 2 and self._found.size("l2"):
            self._put("l1i_miss", Between(min(one.low for one in ends), max(one.high for one in ends)))

    def _system(self) -> None:
        call = self._cycles(self._lines.one("getppid"))
        known = self._range("exception")
        if call is None or call.high / 2 < known.low:
            self._unknown("exception", self._lines.why_not("getppid"))
        else:
            said = "at most half of a system call that does nothing; at least what the fastest core known takes"
            self._put("exception", Between(known.low, call.high / 2), "call", said)
        for name, why in _RIGHTS.items():
            self._unknown(name, why)
        if "string_byte" in {name for core in self._known for name in core.figures}:
            moved = [row.spread.low / 1024 / self._cycle_ps for row in self._lines.all("move")[:2]]
            filled = [row.spread.low / 512 / self._cycle_ps for row in self._lines.all("fill")[:2]]
            if moved or filled:
                self._put("string_byte", Between(min(moved + filled), max(moved + filled)))
            else:
                self._unknown("string_byte", self._lines.why_not("move"))

    def _take(self, name: str, chain: str) -> None:
        value = self._cycles(self._lines.one(chain))
        if value is None:
            self._unknown(name, self._lines.why_not(chain))
        else:
            self._put(name, value)

    def _wide(self, name: str, rows: list[PrintedRow], chain: str) -> None:
        values = [value for row in rows if (value := self._cycles(row)) is not None]
        if values:
            self._put(name, Between(min(one.low for one in values), max(one.high for one in values)))
        else:
            self._unknown(name, self._lines.why_not(chain))

    def _latency(self, name: str, ps: Between | None, *, ns: bool = False, why: str = "") -> None:
        if ps is None:
            self._unknown(name, why or self._lines.why_not("chase"))
        else:
            self._put(name, ps.scaled(1 / 1000 if ns else 1 / self._cycle_ps))

    def _cycles(self, row: PrintedRow | None) -> Between | None:
        return None if row is None or not row.spread.low else row.spread.scaled(1 / self._cycle_ps)

    def _range(self, name: str) -> Between:
        """Return the range that all known cores of the architecture have together."""
        values = [core.figures[name].between for core in self._known if name in core.figures]
        return Between(min(one.low for one in values), max(one.high for one in values)) if values else Between(0, 0)

    def _unknown(self, name: str, why: str) -> None:
        known = self._range(name)
        key = f"unknown_{len([one for one in self.sources if one.startswith('unknown')])}"
        text = f"not measured ({why}): the range of all cores of this architecture that bootlab knows"
        key = next((one for one, said in self.sources.items() if said == text), key)
        self._put(name, known, key, text)

    def _put(self, name: str, value: Between, key: str = MEASURED, source: str = "") -> None:
        if source:
            self.sources[key] = source
        low, high = _rounded(value.low, up=False), _rounded(value.high, up=True)
        self.all[name] = Figure(low if low == high else (low, high), key)


def _rounded(value: float, *, up: bool) -> int | float:
    """Round to three digits, away from the middle of an interval."""
    if value <= 0:
        return 0
    scale = 10.0 ** (2 - math.floor(math.log10(value)))
    shown = (math.ceil(value * scale * (1 - 1e-9)) if up else math.floor(value * scale * (1 + 1e-9))) / scale
    return int(shown) if shown == int(shown) else float(f"{shown:.6g}")
