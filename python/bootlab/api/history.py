"""Boots over months: open the history, gate boots, compare things that were booted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.analysis.noisy.judgement import ALPHA
from bootlab.api.results import default_store
from bootlab.history import budget as budgets
from bootlab.history import gate as gates
from bootlab.history import selection
from bootlab.history.entry import Entry, host

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bootlab.analysis.forest_difference import FunctionChange
    from bootlab.analysis.noisy.power import Forecast
    from bootlab.api.system import System
    from bootlab.experiments.bench import Bench, Observer
    from bootlab.experiments.interleaved import Plan
    from bootlab.history.against import Against
    from bootlab.history.bisection import Bisection, Step
    from bootlab.history.boot_times import BootTimes, Side
    from bootlab.history.database import Database
    from bootlab.history.gate import GateResult
    from bootlab.history.revisions import Revisions
    from bootlab.model.system import System as SystemValue

DATABASE_FILE = "history.db"


def history_url(url: str | None = None, *, store: Path | str | None = None) -> str:
    """Return the history's URL: the one given, BOOTLAB_HISTORY, else SQLite's file in the store."""
    folder = default_store() if store is None else Path(store)
    return url or os.environ.get("BOOTLAB_HISTORY") or f"sqlite:///{(folder / DATABASE_FILE).absolute()}"


@contextmanager
def open_history(
    url: str | None = None, *, store: Path | str | None = None, objects: Path | str | None = None
) -> Iterator[Database]:
    """Open the history, made where there is none. Raise BootlabError."""
    from bootlab.history.database import Database

    folder = default_store() if store is None else Path(store)
    where = history_url(url, store=store)
    kept = Path(objects) if objects is not None else None if where.startswith("sqlite") else folder / "objects"
    with Database(where, kept) as database:
        yield database


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


def check_budgets(budget: Iterable[str]) -> None:
    """Raise UserError for a budget that is none, before anything is booted for it."""
    for text in budget:
        budgets.parse(text)


def gate(
    new: Side,
    base: Side | None = None,
    *,
    budget: Iterable[str] = (),
    smallest_ns: int | None = None,
    alpha: float = ALPHA,
    few: bool = False,
) -> GateResult:
    """Judge boots against budgets (`kernel=500ms`, `total=+2%`) and against a base. Raise UserError.

    >>> import bootlab
    >>> from bootlab.api.history import gate, measured
    >>> boot = bootlab.System.load("tests/replay/system.toml", store=store).boot()
    >>> gate(measured("last", store=store), budget=["kernel=3s", "total=3s"]).answer.value
    'failed'
    """
    asked = [budgets.parse(text) for text in budget]
    return gates.gate(new, base, asked, smallest_ns=smallest_ns, alpha=alpha, few=few)


def keep(
    database: Database,
    boots: Sequence[BootTimes],
    *,
    system: str,
    revision: str,
    variant: str = "",
    session: str = "",
    times_only: bool = False,
) -> int:
    """Add boots to the history; return how many were new. What it returned for is on the disk."""
    entries = [
        Entry(system=system, revision=revision, variant=variant, session=session, host=host(), times=boot)
        for boot in boots
    ]
    return database.add(entries, times_only=times_only)


def against(
    system: System, base: System, plan: Plan | None = None, *, told: Callable[[Forecast], None] | None = None
) -> Against:
    """Boot a system and its base for a gate: exact ones once each, others in blocks until the verdict stands.

    `told` hears what the blocks will be able to see, before they are booted. Raise BootlabError.
    """
    from bootlab.history import against as both

    exact = system.value.clock.mode == base.value.clock.mode == "exact"
    with base.bench(jobs=None if exact else 1) as bench:
        return both.against(bench, base.value, system.value, plan, told=told)


def bisect(
    revisions: Revisions,
    *,
    store: Path | str | None = None,
    smallest_ns: int | None = None,
    functions: bool = True,
    observer: Observer | None = None,
    told: Callable[[Step], None] = lambda _: None,
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

    def bench(value: SystemValue) -> Bench:
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
