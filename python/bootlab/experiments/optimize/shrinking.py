"""A smaller kernel by evidence: options whose code never ran up to the goal are left out in groups, and booted.

What never ran may still be needed: a table that other code reads, a device that the check asks for. So a boot decides,
with the goal and the functional check. What is not covered by the check and first used after the goal is lost: that is
the risk of it, and why it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from bootlab.errors import BuildError, KernelBuildError, MeasurementError
from bootlab.experiments.base import Base, why_lost
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.halving import shrink
from bootlab.experiments.optimize.unused_options import unused_options
from bootlab.experiments.trial import HostEnded
from bootlab.model.change import Change, SetKernelOptions
from bootlab.model.system import System
from bootlab.model.verdict import Effect
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import built_with


class UnusedOptions(Technique):
    """Options that were left out together, as a technique: judged as every other."""

    id = "unused-options"
    title = "Kernel options whose code never ran"
    stage = "image"
    what = "Leaves out kernel options whose code never ran up to the goal."
    why = "A smaller image is copied, unpacked and set up faster."
    when_not = "Something uses them after the goal, and the functional check does not see it."
    cost = "What only they offer is gone."
    risk = Risk(function="what is first used after the goal, and what the check does not look at, is lost")
    proof = "recording"
    builds = True
    references = ("bootlab trace --coverage",)

    def __init__(self, options: tuple[str, ...]) -> None:
        """Take the options (without `CONFIG_`)."""
        self.options = tuple((name, "n") for name in options)

    def applies(self, context: Context) -> Applies:
        """Yes: the trace of this system's boot says so."""
        del context
        return Applies.yes(f"{len(self.options)} options whose code never ran up to the goal")

    def changes(self, context: Context) -> tuple[Change, ...]:
        """Propose the kernel without them."""
        del context
        return (Change(technique=self.id, ops=(SetKernelOptions(self.options),)),)

    def took_effect(self, before: Evidence, after: Evidence) -> Effect:
        """Prove it by the configuration that the booted image was built with."""
        return built_with(before, after, self.options)


class Shrinking(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it. `kept`: options that had to stay, or were never offered, each with its reason."""

    technique: UnusedOptions
    change: Change | None
    dropped: tuple[str, ...]
    kept: dict[str, str]
    asked: int


def shrink_kernel(
    bench: Bench, base: Base, standing: Evidence, keep: tuple[str, ...], *, spent: Callable[[], bool] = lambda: False
) -> Shrinking | None:
    """Leave out of a system's kernel what never ran; None where its kernel is not built here or cannot be traced.

    Each question is a kernel build and a boot, both kept by content: an interrupted search asks none of them twice.
    `spent`: whether the time for it is used up; what is not decided by then stays.
    """
    if standing.system.kernel.build is None:
        return None
    unused = unused_options(bench, standing, keep)
    bench.phase("unused kernel options", len(unused.families))
    missing: dict[frozenset[str], frozenset[str]] = {}

    def why_broken(dropped: frozenset[str]) -> str:
        if spent():
            return "not decided: the time budget is used up"
        broken = _why_broken(bench, base, standing.system, dropped, missing)
        bench.decided(f"  without {len(dropped)} options: {broken or 'it works'}")
        return broken

    def culprits(dropped: frozenset[str]) -> frozenset[str]:
        named = missing.get(dropped, frozenset())
        return frozenset(unused.option_of[name] for name in named if name in unused.option_of)

    found = shrink(unused.families, why_broken, culprits=culprits)
    dropped = tuple(sorted(found.dropped))
    technique = UnusedOptions(dropped)
    change = Change(technique=technique.id, ops=(SetKernelOptions(technique.options),)) if dropped else None
    return Shrinking(
        technique=technique, change=change, dropped=dropped, kept=unused.kept | found.kept, asked=found.asked
    )


def _why_broken(
    bench: Bench,
    base: Base,
    whole: System,
    dropped: frozenset[str],
    missing: dict[frozenset[str], frozenset[str]],
) -> str:
    """Build and boot a system without options; say what is wrong with it, and note what the linker missed."""
    system = without_options(whole, dropped)
    label = f"without {len(dropped)} options"
    try:
        recording = bench.boot(system, label)
    except KernelBuildError as fault:
        missing[dropped] = fault.missing
        return f"it cannot be built: {fault.message}"
    except BuildError as fault:
        return f"it cannot be built: {fault.message}"
    broken = why_lost(bench, base, system, recording, label)
    if isinstance(broken, HostEnded):
        raise MeasurementError(f"the host ended a boot {label}: {broken}", hint="run the same command again")
    return broken


def without_options(system: System, options: frozenset[str]) -> System:
    """Return a system whose kernel is built without options."""
    return SetKernelOptions(tuple((name, "n") for name in sorted(options))).apply(system)
