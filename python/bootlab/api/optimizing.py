# SPDX-License-Identifier: MIT
"""From a system to the fastest one that still works: the plan, the search, what is handed over."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bootlab.api.deliver import for_build_systems
from bootlab.api.results import Results
from bootlab.builders.kbuild.fragment import changed_options
from bootlab.errors import UserError
from bootlab.experiments.bench import Bench
from bootlab.experiments.optimize.optimized import Optimized
from bootlab.experiments.optimize.planning import Wishes, estimated, plan_of
from bootlab.experiments.optimize.search import optimize
from bootlab.experiments.selection import Selection
from bootlab.results import plan_file
from bootlab.results.optimize_journal import OptimizeJournal
from bootlab.store.optimized import hand_over_optimized

if TYPE_CHECKING:
    from bootlab.experiments.base import Base
    from bootlab.experiments.optimize.shrinking import Shrinking
    from bootlab.experiments.trials import Applicability
    from bootlab.launch.boot_plan import BootPlan
    from bootlab.model.plan import Plan
    from bootlab.model.system import SystemDescription


_NOT_OFFERED = "no function of the traced boots is known to be its own: it was not offered"


def given_plan(path: Path) -> Plan | None:
    """Return the plan that a file holds; None for a file that is none. Raise UserError for a wrong one."""
    if not plan_file.is_plan(path):
        return None
    plan = plan_file.load(path)
    try:
        _check_names(plan)
    except UserError as fault:
        raise UserError(f"{path}: {fault.message}", hint=fault.hint) from fault
    return estimated(plan)


def keep_plan(plan: Plan, path: Path) -> None:
    """Write a plan to be edited and given back."""
    plan_file.save(plan, path)


def planned(
    bench: Bench, system: SystemDescription, wishes: Wishes, *, searched: bool = False
) -> tuple[Base, Plan, tuple[Applicability, ...]]:
    """Boot the base and its diagnosis, and plan from them.

    `searched`: a search follows, so idle machines may begin with the boots of the base that it needs.
    """
    from bootlab.analysis.sequential_test import FEWEST_BASE_BOOTS
    from bootlab.experiments.campaign import base_of

    if system.clock.mode != "exact":
        raise UserError(
            'optimize needs clock.mode = "exact": on the host\'s clock each step would take dozens of boots',
            hint="optimize in exact mode, then prove the result on hardware with `bootlab try`",
        )
    # What stays out is planned too, but no boot is traced for it.
    let_in = (one for one in wishes.selection.techniques() if not wishes.selection.why_not_stacked(one))
    base = base_of(bench, system, tuple(let_in), dithers=FEWEST_BASE_BOOTS if searched else 0)
    plan, said = plan_of(base, wishes, jobs=bench.jobs)
    check_kept(base, plan)
    return base, plan, said


def carried_out(
    bench: Bench, store: Path, base: Base, plan: Plan, said: tuple[Applicability, ...], *, reproduce: str = ""
) -> Results:
    """Search, write the run as it goes on, and hand `optimized/` over."""
    check_kept(base, plan)
    chosen = Selection().techniques()
    command = reproduce or f"bootlab optimize {shlex.quote(plan.system or 'SYSTEM.toml')}"
    journal = OptimizeJournal(store, base.system, plan, said, chosen, reproduce=command)
    try:
        return _written(bench, base, plan, journal)
    finally:
        journal.leave()


def _written(bench: Bench, base: Base, plan: Plan, journal: OptimizeJournal) -> Results:
    from bootlab.views.run import by_hand

    for phase in plan.phases:
        if phase.taken:
            bench.decided(f"  plan, {phase.name}: {', '.join(phase.taken)}")
    bench.decided(f"  {plan_file.estimate(plan)}")
    found = optimize(bench, base, plan, journal)
    boot = bench.target.plan(found.system)
    initramfs = found.system.initramfs
    made = by_hand.Made(
        name=base.system.name,
        changes=found.stacked.changes,
        bars=found.waterfall,
        left_out_ns={row.change_id: row.cost_ns for row in found.stacked.left_out if row.cost_ns is not None},
        base_cmdline=str(base.system.cmdline_to_pass),
        cmdline=str(found.system.cmdline_to_pass),
        packed=initramfs.compression if initramfs is not None and initramfs != base.system.initramfs else "",
        besides=(found.shrinking.technique,) if found.shrinking is not None else (),
    )
    texts = {"by-hand.sh": by_hand.script(made)}
    texts |= _kernel_texts(bench.target.plan(base.system), boot, found)
    journal.optimized(found, hand_over_optimized(journal.run.folder, boot.system, boot, texts))
    results = Results(journal.run, journal.results)
    for_build_systems(journal.results, base.system, journal.run.folder / "optimized")
    results.html(journal.run.folder / "optimized" / "report.html")
    results.markdown(journal.run.folder / "optimized" / "report.md")
    if not found.ended:
        journal.finish()
    return results


def _kernel_texts(base: BootPlan, final: BootPlan, found: Optimized) -> dict[str, str]:
    """Return the configuration of a kernel that was built, and the fragment that leads to it."""
    if found.system.kernel.build is None or not final.info.config:
        return {}
    before, after = _config(base.info.config), _config(final.info.config)
    rows = changed_options(before, after, frozenset())
    fragment = [
        f"# CONFIG_{row.name} is not set" if row.after in {None, "n"} else f"CONFIG_{row.name}={row.after}"
        for row in rows
    ]
    texts = {"kernel.config": after, "kernel.fragment": "\n".join(fragment) + "\n"}
    return texts | ({"kernel.kept": _kept(final.info.config, found.shrinking)} if found.shrinking is not None else {})


def _kept(options: dict[str, str], shrinking: Shrinking) -> str:
    """Say of every option that is on in the result's kernel why it is."""
    reasons = shrinking.kept | shrinking.needed
    on = sorted(name.removeprefix("CONFIG_") for name, value in options.items() if value in {"y", "m"})
    return "".join(f"CONFIG_{name}: {reasons.get(name, _NOT_OFFERED)}\n" for name in on)


def _config(options: dict[str, str]) -> str:
    lines = (f"# {name} is not set" if value == "n" else f"{name}={value}" for name, value in sorted(options.items()))
    return "\n".join(lines) + "\n"


def wishes_of(
    *,
    allow: Iterable[str] = (),
    also: Iterable[str] = (),
    budget_s: float | None = None,
    rounds: int = 2,
    shrink: bool = False,
    keep: Iterable[str] = (),
    final: Iterable[str] = (),
    ids: Iterable[str] = (),
) -> Wishes:
    """Collect what a user asks for. Raise UserError for a risk that there is not, or a command that is none."""
    from bootlab.experiments.optimize.final import words_of

    final = tuple(final)
    for command in final:
        words_of(command)
    selection = Selection(ids=tuple(ids), allow=frozenset(allow), also=tuple(also))
    return Wishes(selection=selection, budget_s=budget_s, rounds=rounds, shrink=shrink, keep=tuple(keep), final=final)


def _check_names(plan: Plan) -> None:
    """Raise UserError for techniques that nobody has, risks that there are not, commands that are none."""
    from bootlab import techniques

    wishes_of(allow=plan.allow, also=plan.also, final=plan.final).selection.techniques()
    for phase in plan.phases:
        for technique in phase.techniques:
            techniques.get(technique.id)


def check_kept(base: Base, plan: Plan) -> None:
    """Raise UserError for an option to keep that the base's kernel does not have: a slip of the pen would lose it."""
    config = base.info.config
    for name in plan.keep if config else ():
        if config.get(f"CONFIG_{name}", "n") in {"n", ""}:
            near = difflib.get_close_matches(f"CONFIG_{name}", [one for one in config if config[one] != "n"], n=1)
            raise UserError(
                f"CONFIG_{name} cannot be kept: it is not on in the base's kernel",
                hint=f"did you mean {near[0]}?" if near else "leave it out of --keep, or of `keep` in the plan",
            )


def edited(plan: Plan, fresh: Plan) -> Plan:
    """Return a user's plan with what only this machine knows. Raise UserError for techniques that nobody has."""
    _check_names(plan)
    return msgspec.structs.replace(
        plan,
        system=fresh.system,
        base_ns=fresh.base_ns,
        boot_wall_s=fresh.boot_wall_s,
        build_wall_s=fresh.build_wall_s,
        jobs=fresh.jobs,
    )
