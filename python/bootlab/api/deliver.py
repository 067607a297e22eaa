# SPDX-License-Identifier: MIT
"""A result in the words of build systems, and a new build held against it."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.builders.cache import Cache, default_folder
from bootlab.deliver import evidence, written
from bootlab.deliver.build import of_facts
from bootlab.deliver.verified import SeenChange, Verified
from bootlab.deliver.verified import verify as compared
from bootlab.errors import BootlabError, UserError
from bootlab.model.figures import ms, percent
from bootlab.sources.look import Looker
from bootlab.systemfile.loader import default_unpack_dir

if TYPE_CHECKING:
    from bootlab.experiments.bench import Observer
    from bootlab.model.system import Machine, SystemDescription
    from bootlab.results.document import RunDocument
    from bootlab.sources.facts import SourceFacts

__all__ = ["SeenChange", "Verified", "for_build_systems", "verify"]


def for_build_systems(results: RunDocument, base: SystemDescription, folder: Path) -> Path | None:
    """Write `build-system/` beside the faster system; None where no change was kept. Raise EnvironmentFault."""
    over = evidence.of_results(results, base)
    return None if over is None else written.write(over, folder)


def verify(
    sources: Sequence[Path],
    hand_over: Path,
    *,
    log: Path | None = None,
    entry: str = "",
    boot: bool = False,
    store: Path | None = None,
    cache: Path | None = None,
    observer: Observer | None = None,
) -> Verified:
    """Look for each change of a hand-over in a new build. Raise UserError for what cannot be read.

    `sources`: as for a new system file, later ones override. `boot`: boot it too, to the goal of the result's system
    file. `entry`: of an image with several boot entries, by number or a part of its title.
    """
    over = evidence.load(hand_over)
    kept = Cache(cache if cache is not None else default_folder())
    with tempfile.TemporaryDirectory(prefix="bootlab-verify-") as work:
        looker = Looker(Path(work) / "files", kept, default_unpack_dir(), entry)
        found = looker.all(list(sources), log)
        seen = compared(over, of_facts(found, default_unpack_dir()), found.what)
        if not boot:
            return seen
        result = _result_file(hand_over)
        return _booted(seen, found, result, Path(work), store=store, cache=kept, observer=observer)


def _result_file(hand_over: Path) -> Path:
    places = [hand_over, hand_over.resolve().parent, hand_over / "optimized", hand_over / "faster"]
    file = next((place / "system.toml" for place in places if (place / "system.toml").is_file()), None)
    if file is None:
        raise UserError(
            f"{hand_over} has no system.toml beside it, which names the goal", hint="leave out --boot, or copy it there"
        )
    return file


def _booted(
    seen: Verified,
    found: SourceFacts,
    result: Path,
    work: Path,
    *,
    store: Path | None,
    cache: Cache,
    observer: Observer | None,
) -> Verified:
    """Boot a build as `new --from` would describe it, to the goal of the result, and say whether the gain arrived."""
    from bootlab.api.store_folder import default_store
    from bootlab.experiments.bench import bench_for
    from bootlab.systemfile import load
    from bootlab.systemfile.proposal import propose
    from bootlab.systemfile.written import written as system_text

    file = work / "build.toml"
    file.write_text(system_text(propose(found, "build"), work), encoding="utf-8")
    given, wanted = load(file), load(result)
    system = msgspec.structs.replace(
        given,
        machine=_as_the_result_s(given.machine, wanted.machine),
        goal=wanted.goal,
        check=wanted.check,
        marks=wanted.marks,
        clock=wanted.clock,
        limits=wanted.limits,
    )
    try:
        with bench_for(system, store or default_store(), cache, jobs=1, observer=observer) as bench:
            recording = bench.boot(system, "build")
    except BootlabError as fault:
        return msgspec.structs.replace(seen, gain=f"it could not be booted: {fault.message}")
    meta = recording.meta
    if meta.goal_ns is None or not recording.ok:
        reason = meta.reason or meta.outcome.value
        return msgspec.structs.replace(seen, gain=f"its boot did not reach the goal: {reason}")
    return msgspec.structs.replace(seen, build_ns=meta.goal_ns, gain=_gain(seen, meta.goal_ns, system, wanted))


_OF_THE_LAB = ("cpu", "cpus", "memory_mib", "firmware")


def _as_the_result_s(given: Machine, wanted: Machine) -> Machine:
    """Return a build's machine with what of the result's machine no build decides; another type stays as it is."""
    if (given.arch, given.type) != (wanted.arch, wanted.type):
        return given
    return msgspec.structs.replace(given, **{name: getattr(wanted, name) for name in _OF_THE_LAB})


def _gain(seen: Verified, build_ns: int, booted: SystemDescription, wanted: SystemDescription) -> str:
    """Say how much of the gain a boot shows, where both systems are of the same machine."""
    took = f"the build's goal comes after {ms(build_ns)} ms"
    ours, its = booted.machine.type, wanted.machine.type
    if ours != its:
        return f"{took} on the machine {ours}, not on the result's ({its}): the times cannot be compared"
    if seen.base_ns is None or seen.final_ns is None:
        return took
    gained, whole = seen.base_ns - build_ns, seen.base_ns - seen.final_ns
    share = f" ({percent(gained, whole)})" if whole > 0 else ""
    return f"{took}: {ms(gained)} of {ms(whole)} ms arrived{share}"
