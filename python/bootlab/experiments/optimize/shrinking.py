"""A smaller kernel by evidence: options whose code never ran up to the goal are left out in groups, and booted.

What never ran may still be needed: a table that other code reads, a device that the check asks for. So a boot decides,
with the goal and the functional check. What is not covered by the check and first used after the goal is lost: that is
the risk of it, and why it is asked for.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.analysis import coverage
from bootlab.analysis.coverage import Cover
from bootlab.builders.kbuild import KernelBuilder
from bootlab.errors import BuildError, EnvironmentFault, MeasurementError
from bootlab.experiments.base import Base, why_lost
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.halving import Family, shrink
from bootlab.experiments.traced_boot import trace_boot
from bootlab.experiments.trial import HostEnded
from bootlab.kernelsource.advice import Advisor
from bootlab.kernelsource.configuration import from_mapping
from bootlab.kernelsource.levers import levers_of
from bootlab.kernelsource.tree import SourceTree
from bootlab.model.change import Change, SetKernelOptions
from bootlab.model.system import System
from bootlab.model.verdict import Effect
from bootlab.targets import trace_symbols
from bootlab.targets.trace_boot import CODE_ONLY_NS, TraceRequest
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import built_with

_SECURITY = re.compile(
    r"SECURITY|SECCOMP|HARDEN|MITIGAT|RETPOLINE|KEYS$|KEYRING|INTEGRITY|\bIMA|\bEVM|AUDIT|LANDLOCK|SIGNATURE|LOCKDOWN"
    r"|RANDOMIZE|STACKPROTECTOR|STRICT_|VMAP_STACK|SLAB_FREELIST|INIT_ON_|PAGE_TABLE_ISOLATION"
)
"""Options that are never given up because their code did not run: what they guard against had not happened yet."""


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


def shrink_kernel(bench: Bench, base: Base, standing: Evidence, keep: tuple[str, ...]) -> Shrinking | None:
    """Leave out of a system's kernel what never ran; None where its kernel is not built here or cannot be traced.

    Each question is a kernel build and a boot, both kept by content: an interrupted search asks none of them twice.
    """
    if standing.system.kernel.build is None:
        return None
    families, kept = unused_families(bench, standing, keep)
    bench.phase("unused kernel options", len(families))

    def why_broken(dropped: frozenset[str]) -> str:
        system = without_options(standing.system, dropped)
        label = f"without {len(dropped)} options"
        try:
            recording = bench.boot(system, label)
        except BuildError as fault:
            return f"it cannot be built: {fault.message}"
        broken = why_lost(bench, base, system, recording, label)
        if isinstance(broken, HostEnded):
            raise MeasurementError(f"the host ended a boot {label}: {broken}", hint="run the same command again")
        return broken

    found = shrink(families, why_broken)
    dropped = tuple(sorted(found.dropped))
    technique = UnusedOptions(dropped)
    change = Change(technique=technique.id, ops=(SetKernelOptions(technique.options),)) if dropped else None
    return Shrinking(technique=technique, change=change, dropped=dropped, kept=kept | found.kept, asked=found.asked)


def without_options(system: System, options: frozenset[str]) -> System:
    """Return a system whose kernel is built without options."""
    return SetKernelOptions(tuple((name, "n") for name in sorted(options))).apply(system)


def unused_families(bench: Bench, standing: Evidence, keep: tuple[str, ...]) -> tuple[list[Family], dict[str, str]]:
    """Return options whose code never ran, each with what hangs on it, and why others are not offered."""
    system = standing.system
    build = system.kernel.build
    if build is None:
        return [], {}
    traced = trace_boot(bench, system, TraceRequest(min_ns=CODE_ONLY_NS))
    info = bench.target.plan(system).info
    configuration = from_mapping(info.config)
    tree = SourceTree(
        KernelBuilder(bench.cache).source_tree(build, system.machine.arch),
        cache=bench.cache.root,
        arch=system.machine.arch,
        configuration=configuration,
    )
    image = traced.recording.meta.launch.kernel if traced.recording.meta.launch is not None else None
    if image is None:
        raise EnvironmentFault("the traced boot names no kernel", hint="bootlab trace SYSTEM.toml --coverage")
    symbols = trace_symbols.choose(_core.kernel_symbol_table(Path(image).read_bytes()), system.machine.arch)
    places = tree.resolver.resolve([(name, "") for name in traced.trace.names[len(trace_symbols.BUCKETS) :]])
    covered = coverage.functions(traced.trace, symbols, levers_of(tree, places))
    return families_of(coverage.by_symbol(covered), tree.advisor, keep)


def families_of(covers: list[Cover], advisor: Advisor, keep: tuple[str, ...]) -> tuple[list[Family], dict[str, str]]:
    """Return what may be offered, by coverage and Kconfig alone, and why the rest may not. Pure."""
    ran = {cover.name for cover in covers if cover.ran != "nothing"}
    families: list[Family] = []
    kept: dict[str, str] = {}
    for cover in covers:
        name = cover.name
        if name in ran:
            continue
        if name in keep:
            kept[name] = "the plan keeps it"
            continue
        if _SECURITY.search(name):
            kept[name] = "it guards against what had not happened yet"
            continue
        answer, reasons = advisor.may_be(name, "n")
        if answer == "no":
            kept[name] = "; ".join(reason.text for reason in reasons[:2])
            continue
        hanging = frozenset(one.symbol for one in advisor.dependents(name))
        if used := sorted(hanging & ran):
            kept[name] = f"code of {', '.join(used[:3])} ran, which cannot be on without it"
            continue
        if guarded := sorted(one for one in hanging if one in keep or _SECURITY.search(one)):
            kept[name] = f"{', '.join(guarded[:3])} would go with it"
            continue
        families.append(Family(name=name, members=frozenset({name}) | hanging))
    return families, kept
