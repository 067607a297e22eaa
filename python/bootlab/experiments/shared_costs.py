"""What initcalls share, asked of a traced boot of the base."""

from __future__ import annotations

from bootlab.analysis import shared_costs
from bootlab.errors import BootlabError
from bootlab.experiments.bench import Bench, Stopped
from bootlab.experiments.traced_boot import trace_boot
from bootlab.model.shared_cost import SharedCost
from bootlab.model.system import System
from bootlab.targets.trace_boot import CODE_ONLY_NS, TraceRequest


def shared_costs_of(bench: Bench, system: System) -> tuple[SharedCost, ...] | None:
    """Trace a system and return what its initcalls share; None where it cannot be traced (a board, a replay)."""
    try:
        found = trace_boot(bench, system, TraceRequest(min_ns=CODE_ONLY_NS))
    except Stopped:
        raise
    except BootlabError:
        return None
    return shared_costs.shared_costs(found.trace)
