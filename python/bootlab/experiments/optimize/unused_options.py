"""Which kernel options may be left out at all: by what ran up to the goal, and by what Kconfig lets go. No build."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab import _core
from bootlab.analysis import coverage
from bootlab.analysis.coverage import Cover
from bootlab.builders.kbuild import KernelBuilder
from bootlab.errors import EnvironmentFault
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.halving import Family
from bootlab.experiments.traced_boot import trace_boot
from bootlab.kernelsource.advice import Advisor
from bootlab.kernelsource.configuration import from_mapping
from bootlab.kernelsource.levers import levers_of
from bootlab.kernelsource.tree import SourceTree
from bootlab.model.change import SetKernelOptions
from bootlab.model.system import System
from bootlab.targets import trace_symbols
from bootlab.targets.trace_boot import CODE_ONLY_NS, TraceRequest
from bootlab.techniques.base import Evidence

_SECURITY = re.compile(
    r"SECURITY|SECCOMP|HARDEN|MITIGAT|RETPOLINE|KEYS$|KEYRING|INTEGRITY|\bIMA|\bEVM|AUDIT|LANDLOCK|SIGNATURE|LOCKDOWN"
    r"|RANDOMIZE|STACKPROTECTOR|STRICT_|VMAP_STACK|SLAB_FREELIST|INIT_ON_|PAGE_TABLE_ISOLATION"
)
"""Options that are never given up because their code did not run: what they guard against had not happened yet."""

Settle = Callable[[frozenset[str]], dict[str, str]]
"""What the kernel's own tool makes of a configuration without some options: names without `CONFIG_` to values."""


class Unused(msgspec.Struct, frozen=True, kw_only=True):
    """What may be offered, why the rest may not, and the option that each function of the image belongs to."""

    families: list[Family]
    kept: dict[str, str]
    option_of: dict[str, str]


def unused_options(bench: Bench, standing: Evidence, keep: tuple[str, ...]) -> Unused:
    """Return options whose code never ran, each with what hangs on it, and why others are not offered.

    One traced boot. Raise what tracing raises.
    """
    system = standing.system
    build = system.kernel.build
    if build is None:
        return Unused(families=[], kept={}, option_of={})
    traced = trace_boot(bench, system, TraceRequest(min_ns=CODE_ONLY_NS))
    info = bench.target.plan(system).info
    configuration = from_mapping(info.config)
    builder = KernelBuilder(bench.cache)
    arch = system.machine.arch
    tree = SourceTree(
        builder.source_tree(build, arch), cache=bench.cache.root, arch=arch, configuration=configuration
    )
    image = traced.recording.meta.launch.kernel if traced.recording.meta.launch is not None else None
    if image is None:
        raise EnvironmentFault("the traced boot names no kernel", hint="bootlab trace SYSTEM.toml --coverage")
    symbols = trace_symbols.choose(_core.kernel_symbol_table(Path(image).read_bytes()), arch)
    places = tree.resolver.resolve([(name, "") for name in traced.trace.names[len(trace_symbols.BUCKETS) :]])
    covered = coverage.functions(traced.trace, symbols, levers_of(tree, places))
    families, kept = families_of(coverage.by_symbol(covered), tree.advisor, keep)

    def settle(dropped: frozenset[str]) -> dict[str, str]:
        changed = SetKernelOptions(tuple((name, "n") for name in sorted(dropped)))
        return builder.settled(build, arch, changed.options)

    families, more = configurable(families, settle)
    option_of = {row.function: row.symbol for row in covered if row.symbol}
    return Unused(families=families, kept=kept | more, option_of=option_of)


def families_of(covers: list[Cover], advisor: Advisor, keep: tuple[str, ...]) -> tuple[list[Family], dict[str, str]]:
    """Return what may be offered, by coverage and Kconfig alone, and why the rest may not. Pure.

    First those of which nothing ran, then those that only said that they are there.
    """
    needed = {cover.name for cover in covers if cover.ran != "nothing" and not cover.only_registered}
    registered = {cover.name for cover in covers if cover.only_registered}
    families: list[Family] = []
    kept: dict[str, str] = {}
    for cover in covers:
        name = cover.name
        if name in needed:
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
        if used := sorted(hanging & needed):
            kept[name] = f"code of {', '.join(used[:3])} ran, which cannot be on without it"
            continue
        if guarded := sorted(one for one in hanging if one in keep or _SECURITY.search(one)):
            kept[name] = f"{', '.join(guarded[:3])} would go with it"
            continue
        members = frozenset({name}) | hanging
        families.append(Family(name=name, members=members, tier=1 if members & registered else 0))
    return families, kept


def configurable(families: list[Family], settle: Settle) -> tuple[list[Family], dict[str, str]]:
    """Return the families that the kernel's own tool lets go together, and why others stay.

    What is left out and comes back on, because something that stays selects it, would fail every build that it is
    asked in. Finding that out costs a run of the configuration's tool, and no build.
    """
    kept: dict[str, str] = {}
    here = list(families)
    while here:
        asked = frozenset[str]().union(*(family.members for family in here))
        got = settle(asked)
        back = {name for name in asked if got.get(name, "n") not in {"n", ""}}
        if not back:
            break
        kept |= {f.name: "the kernel's configuration switches it on again" for f in here if f.name in back}
        # A child that stays on its own does not hold up its parent.
        here = [
            msgspec.structs.replace(family, members=family.members - back) for family in here if family.name not in back
        ]
    return here, kept
