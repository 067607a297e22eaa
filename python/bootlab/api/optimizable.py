"""The methods of a system that optimise it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.api.results import Results
    from bootlab.experiments.bench import Bench
    from bootlab.experiments.optimize.planning import Wishes
    from bootlab.model.plan import Plan
    from bootlab.model.system import System as SystemValue


class Optimizable:
    """What `System` inherits: the plan of an optimisation, and carrying it out."""

    value: SystemValue
    store: Path

    def bench(self, *, jobs: int | None = None, force: bool = False) -> AbstractContextManager[Bench]:
        """Open the bench that boots this system."""
        raise NotImplementedError

    def plan_optimisation(self, wishes: Wishes | None = None) -> Plan:
        """Boot the base and a diagnosis, and return what an optimisation would try, in which order."""
        from bootlab.api.optimizing import planned
        from bootlab.experiments.optimize.planning import Wishes

        with self.bench() as bench:
            return planned(bench, self.value, wishes or Wishes())[1]

    def optimize(self, wishes: Wishes | None = None, *, plan: Plan | None = None, reproduce: str = "") -> Results:
        """Search the fastest system that still works, and hand it over in `optimized/` of the run; raises as `stack`.

        `plan`: this one; None: what `plan_optimisation` makes. Cut off at any instant, the same call goes on.
        """
        from bootlab.api.optimizing import carried_out, edited, planned
        from bootlab.experiments.optimize.planning import Wishes

        with self.bench() as bench:
            base, fresh, said = planned(bench, self.value, wishes or Wishes())
            chosen = fresh if plan is None else edited(plan, fresh)
            return carried_out(bench, self.store, base, chosen, said, reproduce=reproduce)
