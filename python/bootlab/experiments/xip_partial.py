# SPDX-License-Identifier: MIT
"""Partial execute-in-place: the functions that run most often are in RAM, the others stay in flash.

A trace of the kernel executed in place says which functions those are; the linker then puts them with the variables.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from bootlab.analysis.call_tree import FunctionTrace
from bootlab.builders.kbuild import KernelBuilder
from bootlab.collectors import benchmark
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.experiments.traced_boot import trace_boot
from bootlab.kernelsource import xip_patch
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.kernel_change import AddKernelPatch, SetKernelVariables
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import SystemDescription
from bootlab.tracing.boot import CODE_ONLY_NS, TraceRequest, kernel_symbols

HOT_SHARE = 0.9
"""Of the kernel's instructions, from power-on to the benchmark's end, in the functions that go to RAM."""

PATCH = "xip-functions-in-ram.patch"


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """Instructions of each kernel function: up to user space, and up to the benchmark's end."""

    init: dict[str, int]
    whole: dict[str, int]

    @property
    def run(self) -> dict[str, int]:
        """Those from user space to the benchmark's end."""
        return dict(Counter(self.whole) - Counter(self.init))

    def hot(self, share: float = HOT_SHARE) -> tuple[str, ...]:
        """Return the functions with the most instructions, which together have this share of all."""
        wanted, reached = share * sum(self.whole.values()), 0
        names = []
        for name, insns in sorted(self.whole.items(), key=lambda item: (-item[1], item[0])):
            if reached >= wanted:
                break
            names.append(name)
            reached += insns
        return tuple(names)


class RamShare(msgspec.Struct, frozen=True, kw_only=True):
    """What a kernel has in RAM: bytes of code, the shares of its instructions, and the function that runs most."""

    code_bytes: int
    init_share: float
    run_share: float
    hottest: str
    hottest_address: int


def counted(bench: Bench, in_place: SystemDescription) -> Counted:
    """Trace the kernel executed in place. Raise UserError without a root tree to carry the benchmark."""
    loaded = benchmark.benchmarked(in_place)
    if loaded is None:
        raise UserError("there is no root tree to carry the benchmark", hint="[initramfs] in the system file")
    timing = bench.boot(in_place, "in-place")
    user = next((mark.insns for mark in timing.marks if mark.name == "user-space"), None)
    begun = trace_boot(bench, in_place, TraceRequest(end_insns=user, min_ns=CODE_ONLY_NS))
    whole = trace_boot(bench, loaded, TraceRequest(min_ns=CODE_ONLY_NS))
    return Counted(init=functions(begun.trace), whole=functions(whole.trace))


def functions(trace: FunctionTrace) -> dict[str, int]:
    """Return the instructions of each kernel function; what is none (`[user space]`) is left out."""
    counts: Counter[str] = Counter()
    for node, insns in enumerate(trace.self_insns.tolist()):
        name = trace.name(node)
        if insns and not name.startswith("["):
            counts[name] += insns
    return dict(counts)


def partial(bench: Bench, in_place: SystemDescription, names: tuple[str, ...]) -> SystemDescription:
    """Return the system with a kernel whose functions of these names run in RAM.

    Raise UserError for a source whose linker script is not as in Linux 6.1, or a kernel that is not built.
    """
    build = in_place.kernel.build
    if build is None:
        raise UserError("the kernel is not built", hint='[kernel] source = "debian"')
    tree = KernelBuilder(bench.cache).source_tree(build, in_place.machine.arch)
    sources = {name: (tree / name).read_text(encoding="utf-8") for name in xip_patch.FILES}
    patch = KernelPatch(name=PATCH, text=xip_patch.xip_patch(sources, names))
    return AddKernelPatch(patch).apply(SetKernelVariables(xip_patch.VARIABLES).apply(in_place))


def in_ram(plan: BootPlan, counts: Counted) -> RamShare:
    """Return what the symbols of a kernel that was built say. Raise UserError when nothing of it is in RAM."""
    table = kernel_symbols(plan)
    low = next((address for address, _, name in table if name == xip_patch.FIRST), None)
    high = next((address for address, _, name in table if name == xip_patch.LAST), None)
    inside = {name: address for address, _, name in table if low is not None and high and low <= address < high}
    run = counts.run
    placed = {name: insns for name, insns in run.items() if name in inside}
    if low is None or high is None or not placed:
        raise UserError("the kernel that was built has no function in RAM", hint="its System.map shows where they are")
    hottest = max(placed, key=lambda name: placed[name])
    return RamShare(
        code_bytes=high - low,
        init_share=_share(counts.init, inside),
        run_share=_share(run, inside),
        hottest=hottest,
        hottest_address=inside[hottest],
    )


def _share(insns: dict[str, int], inside: dict[str, int]) -> float:
    return sum(count for name, count in insns.items() if name in inside) / max(1, sum(insns.values()))
