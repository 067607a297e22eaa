# SPDX-License-Identifier: MIT
"""What follows from the views of the core's documents: the behaviour of the classes that are made from its types.

Each class here belongs to the view whose name it carries, which has the fields; it has none of its own.
"""

from __future__ import annotations

from typing import Any

from bootlab.logs.course import LogStage
from bootlab.logs.initcalls import LogInitcall
from bootlab.logs.rows import LogBudgetResult, LogRow
from bootlab.model import recording


class OfKernelFacts:
    """Everything the kernel's lines state."""

    __slots__ = ()

    def returned_initcalls(self: Any, *, printed: bool = False) -> tuple[recording.Initcall, ...]:
        """Return the initcalls that came back, as a diagnosis holds them: of others nothing tells how long they took.

        `printed`: also those without both stamps, as long as the kernel says that they took.
        """
        timed = ((call, call.best_duration_ns if printed else call.duration_ns) for call in self.initcalls)
        return tuple(
            recording.Initcall(
                name=call.name,
                module=call.module,
                start_ns=call.start_ns,
                duration_ns=duration_ns,
                returned=call.returned,
                level=call.level,
            )
            for call, duration_ns in timed
            if call.start_ns is not None and duration_ns is not None and call.returned is not None
        )

    def slowest_initcalls(self: Any) -> list[LogInitcall]:
        """Return the initcalls by true duration, longest first; those that never ended come first of all."""
        endless = [c for c in self.initcalls if "never-returned" in c.flags]
        timed = [c for c in self.initcalls if "never-returned" not in c.flags and c.best_duration_ns is not None]
        return endless + sorted(timed, key=lambda c: c.best_duration_ns or 0, reverse=True)


class OfBoot:
    """One boot."""

    __slots__ = ()

    def stage(self: Any, event: str) -> LogStage | None:
        """Return the event with this name (`kernel-start`, `user-space-start` ...)."""
        return next((stage for stage in self.stages if stage.event == event), None)


class OfCallTrace:
    """A function, event or sample trace."""

    __slots__ = ()

    @property
    def counted(self: Any) -> tuple[int, str]:
        """Return how many calls or samples there are, and which of the two: a sample stands in `events` once."""
        if self.source == "perf-script":
            return sum(self.events.values()), "samples"
        return self.calls, "calls"

    @property
    def length_ns(self: Any) -> int | None:
        """Return the time from the first stamp to the last; None when there are not two."""
        first, last = self.bounds_ns or (0, 0)
        return last - first or None


class OfProcess:
    """One process of an application."""

    __slots__ = ()

    @property
    def own_ns(self: Any) -> int | None:
        """Outside of calls, from its first line to its last: computing, or waiting for a processor."""
        if self.start_ns is None or self.end_ns is None:
            return None
        own_ns: int = self.end_ns - self.start_ns - self.in_calls_ns - self.waited_ns
        return max(0, own_ns)


class OfApplicationProfile:
    """The system calls of an application."""

    __slots__ = ()

    @property
    def main(self: Any) -> int | None:
        """The process that reached the goal; else the first of the log."""
        first = self.processes[0] if self.processes else None
        shown = self.goal or first
        pid: int | None = shown.pid if shown is not None else None
        return pid


class OfComparison:
    """Boots, traces or reports beside their like. `slower` rows differ by more than noise."""

    __slots__ = ()

    @property
    def common(self: Any) -> bool:
        """Whether both sides have at least one quantity in common."""
        return any(row.base is not None and row.new is not None for row in self.rows)

    @property
    def over(self: Any) -> bool:
        """Whether something is slower beyond noise, or a budget is not kept."""
        return bool(self.slower or self.broken_budgets)

    @property
    def slower(self: Any) -> list[LogRow]:
        """Return the quantities that got slower beyond noise."""
        return [row for row in self.rows if row.change == "slower"]

    @property
    def broken_budgets(self: Any) -> list[LogBudgetResult]:
        """Return the budgets that were not kept."""
        return [budget for budget in self.budgets if not budget.kept]
