# SPDX-License-Identifier: MIT
"""Whether a system boots alike each time. Before anything is compared, an exact one must. One place for all of them."""

from __future__ import annotations

from bootlab.analysis.equality import Equality, compare_boots
from bootlab.errors import MeasurementError, UserError
from bootlab.experiments.bench import Bench
from bootlab.model.recording import Recording
from bootlab.model.system import SystemDescription

IS_IT_EXACT = "`bootlab boot SYSTEM.toml --repeat 3` shows whether the system itself boots the same each time"
"""What to do when a boot that is only watched differs from the one that is timed."""

_AGAIN = 1
"""Number of the second boot: it is kept beside the first, so a run that goes on does not make it again."""


class InexactError(MeasurementError):
    """Two boots of one system in exact mode differ."""

    def __init__(self, system: SystemDescription, found: Equality) -> None:
        """Say how they differ, and which of the known causes are there."""
        causes = "; ".join(found.causes) or "none of the known causes is present"
        super().__init__(
            f"{system.name} does not boot the same way twice, so no difference can count as a gain: "
            f"{found.difference}. "
            f"Likely cause: {causes}",
            hint="`bootlab boot SYSTEM.toml --repeat 3` shows it; `bootlab try SYSTEM.toml --inexact` takes many "
            "boots of each and compares them as in free mode",
        )
        self.equality = found


def repeat(bench: Bench, system: SystemDescription, times: int) -> tuple[tuple[Recording, ...], Equality]:
    """Boot several times anew and compare byte for byte. Raise UserError for less than two boots."""
    if times < 2:
        raise UserError(f"cannot compare {times} boots", hint="repeat at least twice")
    bench.phase("repeat", times)
    first = bench.fresh_number(times)
    futures = [bench.submit(system, f"{system.name} #{n + 1}", fresh=first + n) for n in range(times)]
    recordings = tuple(bench.wait_all(futures))
    plan = bench.target.plan(system)
    return recordings, compare_boots(system, recordings, plan.info.config)


def check(bench: Bench, system: SystemDescription, label: str) -> Equality | None:
    """Boot a system twice and compare; None on the host's clock, where no two boots are alike.

    A boot that does not reach its goal is compared like any other.
    """
    if system.clock.mode != "exact":
        return None
    plan = bench.target.plan(system)
    first = bench.submit_plan(plan, label)
    again = bench.submit_plan(plan, f"{label}, a second time: must be equal", fresh=_AGAIN)
    boots: tuple[Recording, ...] = tuple(bench.wait_all((first, again)))
    if ended := next((r for r in boots if r.by_host), None):
        raise MeasurementError(
            f"the host ended a boot of {system.name}: {ended.meta.reason}", hint="run the same command again"
        )
    return compare_boots(system, boots, plan.info.config)


def require_exact(bench: Bench, system: SystemDescription, label: str = "") -> None:
    """Raise InexactError when two boots of an exact system differ."""
    checked = check(bench, system, label or system.name)
    # Of a system that does not start, nothing is known: who needs its goal says so, with the reason.
    if checked is not None and checked.equal is False:
        raise InexactError(system, checked)
