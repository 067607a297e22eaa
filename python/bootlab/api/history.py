# SPDX-License-Identifier: MIT
"""Boots over months: open the history, gate boots, compare things that were booted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.analysis.noisy.judgement import ALPHA
from bootlab.api.opened_history import history_url, open_history
from bootlab.api.store_folder import default_store
from bootlab.errors import UserError
from bootlab.history import budget as budgets
from bootlab.history import gate as gates
from bootlab.history import selection
from bootlab.history.boot_times import AUTHOR, REVISION, SUBJECT
from bootlab.history.entry import HistoryEntry, host
from bootlab.history.gate import GateAnswer, GateResult
from bootlab.history.of_recording import side_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bootlab.analysis.forest_difference import FunctionChange
    from bootlab.analysis.noisy.power import Forecast
    from bootlab.api.system import System
    from bootlab.experiments.bench import Bench, Observer
    from bootlab.experiments.interleaved import BlockPlan
    from bootlab.history.against import Against
    from bootlab.history.bisection import Bisection, BisectionStep
    from bootlab.history.boot_times import BootTimes, Side
    from bootlab.history.database import Database
    from bootlab.history.revisions import Origin, Revision, Revisions
    from bootlab.model.system import SystemDescription

__all__ = [
    "GateAnswer",
    "against",
    "against_side",
    "bisect",
    "budgets_of",
    "check_budgets",
    "dithered",
    "gate",
    "history_url",
    "keep",
    "left_branch",
    "measured",
    "name_revisions",
    "open_history",
    "origin",
    "plan",
    "revisions",
    "side_of",
    "told_by",
]

WAIT_S = 300.0
"""How long a machine may take to come back and to finish starting, unless somebody says."""
_MOST_SAID = 200
_LOOKED_THROUGH = 200
"""So many of the newest boots tell how far dithers move a system."""


@contextmanager
def _looked_up(
    url: str | None, store: Path, system: str | None, application: str | None, goal: str | None
) -> Iterator[selection.Where]:
    """Give where words are looked up; a history that is not there yet is not made for it."""
    named = {"store": store, "system": system, "application": application, "goal": goal}
    where = history_url(url, store=store)
    if where.startswith("sqlite:///") and not Path(where.removeprefix("sqlite:///")).is_file():
        yield selection.Where(**named)  # type: ignore[arg-type]
        return
    with open_history(url, store=store) as database:
        yield selection.Where(history=database, **named)  # type: ignore[arg-type]


def measured(
    *words: str | Path,
    history: str | None = None,
    store: Path | str | None = None,
    system: str | None = None,
    application: str | None = None,
    goal: str | None = None,
) -> Side:
    """Return the boots that words name: recordings, runs, logs, `rev:COMMIT` and `history`. Raise UserError.

    `system`: whose history; `application`, `goal`: texts that logs show when the application starts, and at first use.

    >>> import bootlab
    >>> from bootlab.api.history import measured
    >>> bootlab.System.load("tests/replay/system.toml", store=store).boot()
    <bootlab.Boot goal 3139.553 ms on the virtual clock>
    >>> measured("last", store=store).values_ns("kernel")
    (2900002674,)
    """
    folder = default_store() if store is None else Path(store)
    with _looked_up(history, folder, system, application, goal) as where:
        return selection.side([str(word) for word in words], where)


def told_by(
    command: str,
    *,
    repeat: int = 1,
    reboot: str | None = None,
    wait_s: float = WAIT_S,
    keep: Path | None = None,
    application: str | None = None,
    goal: str | None = None,
    waiting: Callable[[str], None] = lambda _: None,
) -> Side:
    """Return the boots that a command tells, such as `ssh vm systemd-analyze`. Raise BootlabError.

    `repeat`: run it so often; `reboot`: the command that starts the machine again in between. `wait_s`: how long the
    machine may take to answer with another boot. `keep`: a folder for what was printed, one file each. `waiting` hears
    what is waited for.
    """
    from bootlab.history.commands import MeasuredCommand, told

    asked = MeasuredCommand(text=command, repeat=repeat, reboot=reboot, wait_s=wait_s, keep=keep, waiting=waiting)
    return told(asked, application, goal)


def check_budgets(budget: Iterable[str]) -> None:
    """Raise UserError for a budget that is none, before anything is booted for it."""
    for text in budgets.told(budget):
        budgets.parse(text)


def budgets_of(file: Path) -> dict[str, tuple[budgets.Budget, ...]]:
    """Return the budgets of several systems: a TOML table a system, `total = "3.2s"` in it. Raise UserError."""
    return budgets.of_systems(file)


def gate(
    new: Side,
    base: Side | None = None,
    *,
    budget: Iterable[str] = (),
    smallest_ns: int | None = None,
    alpha: float = ALPHA,
    few: bool = False,
    failure_rate: float = 0.0,
    first_boot: bool = False,
    booted: Against | None = None,
    costs: str | None = None,
) -> GateResult:
    """Judge boots against budgets (`kernel=500ms`, `total=+2%`) and against a base. Raise UserError.

    `failure_rate`: which share of the new boots may fail. `first_boot`: judge first boots of a system, not later ones,
    where logs show which is which. `booted`: what `against` or `against_side` returned, whose
    sides these are. `costs`: of a board, by whose time recordings of exact boots are judged then.

    >>> import bootlab
    >>> from bootlab.api.history import gate, measured
    >>> boot = bootlab.System.load("tests/replay/system.toml", store=store).boot()
    >>> gate(measured("last", store=store), budget=["kernel=3s", "total=3s"]).answer.value
    'failed'
    """
    asked = [budgets.parse(text) for text in budgets.told(budget)]
    told: dict[str, object] = {"failure_rate": failure_rate, "first_boot": first_boot}
    if booted is not None:
        told |= {"paired": booted.paired, "total": booted.total, "known_ns": booted.moved_ns, "board": booted.board}
    elif costs is not None and base is not None:
        from bootlab.history.on_board import on_board

        told |= {"board": on_board(costs, base, new, smallest_ns=smallest_ns)}
    found = gates.gate(new, base, asked, smallest_ns=smallest_ns, alpha=alpha, few=few, **told)  # type: ignore[arg-type]
    if booted is None:
        return found
    return msgspec.structs.replace(found, differences=booted.differences, origin=booted.origin, made=booted.made)


def name_revisions(boots: Sequence[BootTimes]) -> bool:
    """Tell whether each boot says which revision it is, as those of KCIDB reports do."""
    return bool(boots) and all(REVISION in boot.facts for boot in boots)


def keep(
    database: Database,
    boots: Sequence[BootTimes],
    *,
    system: str,
    revision: str,
    variant: str = "",
    session: str = "",
    author: str = "",
    subject: str = "",
    times_only: bool = False,
) -> int:
    """Add boots to the history; return how many were new. What it returned for is on the disk.

    `revision` "": the one that the results of each boot name. `author`, `subject`: of the commit that was booted.
    Raise UserError for a boot without a revision.
    """
    facts = {name: said[:_MOST_SAID] for name, said in ((AUTHOR, author), (SUBJECT, subject)) if said}
    told = [msgspec.structs.replace(boot, facts=boot.facts | facts) for boot in boots]
    entries = [
        HistoryEntry(
            system=system,
            revision=revision or boot.facts.get(REVISION, ""),
            variant=variant,
            session=session,
            host=host(),
            times=boot,
        )
        for boot in told
    ]
    if not all(entry.revision for entry in entries):
        raise UserError("not every boot says which revision it is", hint="--revision NAME")
    return database.add(entries, times_only=times_only)


def plan(*, blocks: int, alpha: float, seed: int, smallest_ns: int | None) -> BlockPlan:
    """Return how noisy boots are compared with a base: at most so many blocks, in an order drawn from `seed`."""
    from bootlab.experiments.interleaved import BlockPlan

    return BlockPlan(blocks=blocks, alpha=alpha, seed=seed, smallest_ns=smallest_ns)


def against(
    system: System,
    base: System,
    plan: BlockPlan | None = None,
    *,
    told: Callable[[Forecast], None] | None = None,
    history: str | None = None,
) -> Against:
    """Boot a system and its base for a gate, until the verdict stands: exact ones under dithers, others in blocks.

    `told` hears what the blocks will be able to see, before they are booted. What the history (`history`: its URL)
    knows of how far dithers move the base saves boots. Raise BootlabError.
    """
    from bootlab.history import against as both

    exact = system.value.clock.mode == base.value.clock.mode == "exact"
    moved_ns = _known_moved_ns(base, history) if exact else None
    with base.bench(jobs=None if exact else 1) as bench:
        return both.against(bench, base.value, system.value, plan, told=told, moved_ns=moved_ns)


def against_side(system: System, base: Side, *, smallest_ns: int | None = None) -> Against:
    """Boot a system for a gate against boots that were made before: under dithers where they are exact and enough.

    Raise BootlabError.
    """
    from bootlab.history import against as both

    with system.bench() as bench:
        return both.against_side(bench, base, system.value, smallest_ns=smallest_ns)


def dithered(system: System) -> Side:
    """Boot an exact system under the dithers that a base is compared under. Raise UserError where it is not exact."""
    from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS
    from bootlab.experiments.base import require_goal
    from bootlab.experiments.dithered_base import dithered_base

    if system.value.clock.mode != "exact":
        raise UserError(
            f"{system.name}: boots in free mode have no dithers", hint="boot it, and add the boots: `last`, or folders"
        )
    with system.bench() as bench:
        bench.phase("base under dithers", FEWEST_BASE_BOOTS)
        recording = bench.boot(system.value, system.name)
        require_goal(recording, system.name)
        dithers, boots = dithered_base(bench, system.value, recording, FEWEST_BASE_BOOTS)
    return side_of(system.name, boots, dithers)


def _known_moved_ns(base: System, url: str | None) -> int | None:
    """Return what the history knows of a system of this name; None where it knows nothing or is not there."""
    from bootlab.history.moved import known_moved_ns

    with _looked_up(url, base.store, base.name, None, None) as where:
        if where.history is None:
            return None
        return known_moved_ns(where.history.entries(system=base.name, newest=_LOOKED_THROUGH))


def left_branch(branch: str, system_file: Path, *, build: str = "") -> AbstractContextManager[Revisions]:
    """Return the one commit at which a system's repository left a branch. Raise UserError where git knows none.

    `build`: the shell command that builds the commit in its checkout.
    """
    from bootlab.history.revisions import GitRevisions, merge_base

    repository = system_file.resolve().parent
    base = merge_base(repository, branch)
    return GitRevisions(repository, f"{base}..{base}", system_file, build=build)


def origin(repository: Path, branch: str, base: Revision) -> Origin:
    """Return which commits lie between the commit at which HEAD left a branch and HEAD. Raise UserError."""
    from bootlab.history.revisions import origin as since

    return since(repository, branch, base)


def revisions(
    what: Sequence[str], *, system_file: Path | None = None, repository: Path = Path(), build: str = ""
) -> AbstractContextManager[Revisions]:
    """Return what `bisect` searches: a range of git's commits (one word), or system files from old to new.

    `system_file`: what to boot at each commit; `build`: the shell command that builds one in its checkout.
    """
    from bootlab.history.revisions import GitRevisions, SystemFiles

    if len(what) > 1 or what[0].endswith(".toml"):
        return nullcontext(SystemFiles([Path(name) for name in what]))
    if system_file is None:
        raise UserError("no system file says what to boot at each commit", hint="--system-file SYSTEM.toml")
    return GitRevisions(repository, what[0], system_file, build=build)


def bisect(
    revisions: Revisions,
    *,
    store: Path | str | None = None,
    smallest_ns: int | None = None,
    functions: bool = True,
    observer: Observer | None = None,
    told: Callable[[BisectionStep], None] = lambda _: None,
) -> tuple[Bisection, list[FunctionChange]]:
    """Find the revision that made an exact boot slower, and the kernel's functions that grew with it.

    `functions`: trace the revision and the one before it, where one is found; an empty list where the target cannot.
    `told` hears of each revision as it was booted. Raise BootlabError.
    """
    from bootlab.api.system import System
    from bootlab.builders.cache import Cache, default_folder
    from bootlab.experiments.bench import bench_for
    from bootlab.history import bisection

    folder = default_store() if store is None else Path(store)

    def bench(value: SystemDescription) -> Bench:
        return bench_for(value, folder, Cache(default_folder()), jobs=1, observer=observer)

    found = bisection.search(revisions, bench, smallest_ns=smallest_ns, told=told)
    if not functions or found.found.first_slow is None or found.found.spread:
        return found, []
    places = (found.found.suspects[0] - 1, found.found.first_slow)

    def system(place: int) -> System:
        return System(revisions.system(place), store=folder, observer=observer)

    return found, _grown(system, places)


def _grown(system: Callable[[int], System], places: tuple[int, int]) -> list[FunctionChange]:
    """Return the functions whose own time grew between two revisions, the largest growth first."""
    from bootlab.analysis import call_forest, forest_difference
    from bootlab.errors import BootlabError

    try:
        before, after = (call_forest.of_trace(system(place).trace().trace) for place in places)
        changed = forest_difference.compare(before, after).functions
    except BootlabError as fault:
        if fault.exit_code == 130:
            raise
        return []
    return sorted((row for row in changed if row.own > 0), key=lambda row: -row.own)
