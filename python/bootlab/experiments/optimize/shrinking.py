# SPDX-License-Identifier: MIT
"""A smaller kernel by evidence: options whose code did not run for the goal are left out in groups, and booted.

What did not run may still be needed: a table that other code reads, a device that the check asks for. So a boot
decides, with the goal and the functional check. What is not covered by the check and first used after the goal is lost:
that is the risk of it, and why it is asked for.

The first question is the boldest, because it is also the cheapest: a kernel without all of it has the fewest files to
compile. What the linker then misses is kept, and the rest is asked again; only what a boot breaks on is halved.

Where workers build, those that are idle build the kernels of the questions that may come next.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from bootlab.builders.artefacts import is_kernel_built
from bootlab.builders.cache import key_of
from bootlab.builders.kbuild import KernelBuilder
from bootlab.errors import BootlabError, BuildError, KernelBuildError, MeasurementError, UserError
from bootlab.experiments.base import Base, why_lost
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.foresight import Search, likely_next
from bootlab.experiments.optimize.halving import shrink
from bootlab.experiments.optimize.parts import Oracle
from bootlab.experiments.optimize.unused_options import settled, unused_options
from bootlab.experiments.trial import EndedByHost, require_told
from bootlab.model.change import Change
from bootlab.model.kernel_change import SetKernelOptions
from bootlab.model.question import Question
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription
from bootlab.model.verdict import Effect
from bootlab.recordings import sealed
from bootlab.techniques.base import Applies, Context, Evidence, Risk, Technique
from bootlab.techniques.built import built_with
from bootlab.techniques.evidence import KernelLog
from bootlab.techniques.probes import may_serve_the_console


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
    """What came of it. `kept`: options that had to stay, or were never offered, each with its reason.

    `needed`: those whose code ran for the goal; with the function.
    """

    technique: UnusedOptions
    change: Change | None
    dropped: tuple[str, ...]
    kept: dict[str, str]
    asked: int
    needed: dict[str, str] = {}
    questions: tuple[Question, ...] = ()


def shrink_kernel(
    bench: Bench,
    base: Base,
    standing: Evidence,
    keep: tuple[str, ...],
    *,
    unguarded: bool = False,
    over: Callable[[], str] = lambda: "",
    also: Oracle = lambda _system, _recording, _label: "",
) -> Shrinking | None:
    """Leave out of a system's kernel what never ran; None where its kernel is not built here or cannot be traced.

    Each question is a kernel build and a boot, both kept by content: an interrupted search asks none of them twice.
    `unguarded`: options that guard against attacks may go, too. `over`: why nothing more is tried, or ""; what is
    not decided by then stays. `also`: what has to work besides goal and check.
    """
    build = standing.system.kernel.build
    if build is None:
        return None
    builder = KernelBuilder(bench.cache)

    def settle(dropped: frozenset[str]) -> dict[str, str]:
        return builder.settled(build, standing.system.machine.arch, tuple((name, "n") for name in sorted(dropped)))

    waited = bool(may_serve_the_console(KernelLog.of(base)))
    try:
        unused = unused_options(bench, standing, keep, settle, unguarded=unguarded, waited=waited)
    except EndedByHost:
        raise
    except (UserError, MeasurementError) as fault:
        bench.decided(f"  kernel options are not left out, because nothing shows which of them ran: {fault.message}")
        return None
    bench.phase("unused kernel options", len(unused.families))
    missing: dict[frozenset[str], frozenset[str]] = {}
    answers: dict[frozenset[str], str] = {}
    really: dict[frozenset[str], frozenset[str]] = {}
    questions: list[Question] = []

    @cache
    def left_out(asked: frozenset[str]) -> frozenset[str]:
        return settled(asked | unused.modules, settle)

    def why_broken(asked: frozenset[str]) -> str:
        if ended := over():
            return f"not decided: {ended}"
        really[asked] = left_out(asked)
        found = _why_broken(bench, base, standing, really[asked], also, lambda system: beside.begin(asked, system))
        missing[asked] = frozenset() if isinstance(found, str) else found.missing
        answers[asked] = broken = found if isinstance(found, str) else f"it cannot be built: {found.message}"
        questions.append(Question(what=f"kernel without {len(really[asked])} options", broken=broken))
        bench.decided(f"  without {len(really[asked])} options: {broken or 'it works'}")
        return broken

    def culprits(asked: frozenset[str]) -> frozenset[str]:
        return frozenset(unused.option_of[name] for name in missing.get(asked, ()) if name in unused.option_of)

    beside = _Beside(
        bench,
        builder,
        lambda oracle: shrink(unused.families, oracle, culprits=culprits),
        lambda asked: without_options(standing.system, left_out(asked)),
        answers,
    )
    found = shrink(unused.families, why_broken, culprits=culprits)
    beside.end()
    dropped = tuple(sorted(really.get(found.dropped, frozenset())))
    back = dict.fromkeys(found.dropped - frozenset(dropped), "something that stays selects it")
    technique = UnusedOptions(dropped)
    change = Change(technique=technique.id, ops=(SetKernelOptions(technique.options),)) if dropped else None
    kept = unused.kept | found.kept | back
    return Shrinking(
        technique=technique,
        change=change,
        dropped=dropped,
        kept=kept,
        asked=found.asked,
        needed=unused.needed,
        questions=tuple(questions),
    )


class _Beside:
    """Has workers that are idle build the kernels of questions that may follow the one that is asked."""

    def __init__(
        self,
        bench: Bench,
        builder: KernelBuilder,
        search: Search[frozenset[str]],
        system_of: Callable[[frozenset[str]], SystemDescription],
        answers: dict[frozenset[str], str],
    ) -> None:
        self._bench, self._builder = bench, builder
        self._search, self._system_of, self._answers = search, system_of, answers
        self._guessed: set[frozenset[str]] = set()

    def begin(self, asked: frozenset[str], system: SystemDescription) -> None:
        """Have the kernel of a question built, and others beside it."""
        if not self._bench.guesses or (asked not in self._guessed and self._is_built(system)):
            # One that an earlier run built is booted, or has been: what follows it was built then, too.
            return
        self._bench.build_ahead([system])
        guessed: dict[frozenset[str], SystemDescription] = {}
        for question in likely_next(self._search, self._answers, self._bench.guesses):
            # What is wrong with a question is said when it is asked.
            with suppress(BootlabError):
                guessed[question] = self._system_of(question)
        self._guessed.update(guessed)
        self._bench.build_guessed(guessed.values())

    def end(self) -> None:
        """End what nobody will ask for."""
        self._bench.build_guessed(())

    def _is_built(self, system: SystemDescription) -> bool:
        try:
            return is_kernel_built(system, self._bench.cache, self._builder)
        except BootlabError:
            # Its boot says what is wrong with it.
            return False


def _why_broken(
    bench: Bench,
    base: Base,
    standing: Evidence,
    options: frozenset[str],
    also: Oracle,
    begin: Callable[[SystemDescription], None],
) -> str | KernelBuildError:
    """Build and boot a system; say what is wrong with it, or return why its kernel cannot be built.

    `begin` is called where that is not known yet.
    """
    label, system = f"without {len(options)} options", without_options(standing.system, options)
    try:
        # The standing boot's key tells compiler and source, too.
        key = key_of("unlinked", standing.recording.meta.key, sorted(options))
        recording = _booted(bench, system, label, key, begin)
    except BuildError as fault:
        return f"it cannot be built: {fault.message}"
    if isinstance(recording, KernelBuildError):
        return recording
    broken = why_lost(bench, base, system, recording, label)
    require_told(broken, label)
    return broken or also(system, recording, label)


class _Unlinked(msgspec.Struct, frozen=True):
    """What the linker missed."""

    message: str
    missing: tuple[str, ...]


class _Linked(Exception):
    """There is nothing to remember: the kernel could be built."""


def _booted(
    bench: Bench, system: SystemDescription, label: str, key: str, begin: Callable[[SystemDescription], None]
) -> Recording | KernelBuildError:
    """Boot a system. What the linker misses is remembered, so that an interrupted search does not link in vain again.

    Return the error of a kernel that cannot be built.
    """
    made: list[Recording | KernelBuildError] = []

    def make(path: Path) -> None:
        try:
            begin(system)
            made.append(bench.boot(system, label))
        except KernelBuildError as fault:
            made.append(fault)
            if fault.missing:
                unlinked = _Unlinked(fault.message, tuple(sorted(fault.missing)))
                path.write_bytes(msgspec.json.encode(unlinked))
                return
        raise _Linked

    with suppress(_Linked):
        kept = bench.cache.file(key, ".json", make)
        if not made:
            unlinked = sealed.read(kept.read_bytes(), _Unlinked)
            return KernelBuildError(unlinked.message, missing=frozenset(unlinked.missing))
    return made[0]


def without_options(system: SystemDescription, options: frozenset[str]) -> SystemDescription:
    """Return a system whose kernel is built without options."""
    return SetKernelOptions(tuple((name, "n") for name in sorted(options))).apply(system)
