# SPDX-License-Identifier: MIT
"""What initcalls share, asked of a traced boot of the base."""

from __future__ import annotations

import contextlib

from bootlab.analysis import shared_costs
from bootlab.errors import BootlabError, UserError
from bootlab.experiments.bench import Bench, Stopped
from bootlab.experiments.traced_boot import begin_trace, trace_boot
from bootlab.experiments.trial import EndedByHost
from bootlab.model.recording import Recording
from bootlab.model.shared_cost import SharedCost
from bootlab.model.system import SystemDescription
from bootlab.tracing.boot import CODE_ONLY_NS, TraceRequest

_REQUEST = TraceRequest(min_ns=CODE_ONLY_NS)


def begin_shared_costs(bench: Bench, system: SystemDescription, timing: Recording) -> None:
    """Start the traced boot, so that others run beside it. What prevents it is told when it is asked for."""
    with contextlib.suppress(BootlabError):
        begin_trace(bench, system, timing, _REQUEST)


def shared_costs_of(bench: Bench, system: SystemDescription) -> tuple[SharedCost, ...] | None:
    """Trace a system and return what its initcalls share.

    None where it cannot be traced (a board, a replay), or where that failed; then the observer is told why.
    """
    try:
        traced = trace_boot(bench, system, _REQUEST)
    except (Stopped, EndedByHost):
        raise
    except UserError:
        return None
    except BootlabError as fault:
        bench.decided(f"  not traced, so what initcalls share is not known: {fault.message}")
        return None
    return shared_costs.shared_costs(traced.trace)
