# SPDX-License-Identifier: MIT
"""The methods of a system that look inside its boot: functions, processes, system calls, the delay loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from bootlab.api.boot import Boot
    from bootlab.collectors.kernel_tracer import KernelTracer, TracedByKernel
    from bootlab.collectors.processes import ProcessCost
    from bootlab.experiments.bench import Bench
    from bootlab.experiments.lpj import LpjBoot
    from bootlab.experiments.profile import Profiled
    from bootlab.experiments.traced_boot import Traced
    from bootlab.model.costing import Costing
    from bootlab.model.recording import Diagnosis, Recording
    from bootlab.model.system import SystemDescription
    from bootlab.tracing.boot import TraceRequest


class TracedBoots:
    """What `System` inherits: boots that are traced beside the one that is timed."""

    value: SystemDescription

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """The system's name."""

        def _kept(self, recording: Recording, diagnosis: Diagnosis | None, costing: Costing | None = None) -> Boot: ...

        def bench(self, *, jobs: int | None = None, force: bool = False) -> AbstractContextManager[Bench]:
            """Open the bench that boots this system."""

    def trace(self, request: TraceRequest | None = None) -> Traced:
        """Boot once for the time and once with every function of the kernel traced, up to the same goal.

        Raise BootlabError where no exact trace is possible, MeasurementError when the traced boot differs.
        """
        from bootlab.experiments.traced_boot import trace_boot
        from bootlab.tracing.boot import TraceRequest

        with self.bench() as bench:
            bench.phase("trace", 2)
            return trace_boot(bench, self.value, request or TraceRequest())

    def trace_by_kernel(self, tracer: KernelTracer | None = None) -> TracedByKernel:
        """Boot once for the time and once with the kernel's own function_graph tracer (any target, boards too).

        Raise BootlabError where the agent cannot ride along, MeasurementError when the kernel gave no trace.
        """
        from bootlab.collectors.kernel_tracer import KernelTracer
        from bootlab.experiments.traced_boot import trace_by_kernel

        with self.bench() as bench:
            bench.phase("trace", 2)
            return trace_by_kernel(bench, self.value, tracer or KernelTracer())

    def profile(self) -> Profiled:
        """Return what the processes do from the start of init to the goal: waits, searches, reads, system calls.

        Raise BootlabError where no exact trace is possible.
        """
        from bootlab.experiments.profile import profile_boot

        with self.bench() as bench:
            return profile_boot(bench, self.value)

    def boot_with_programs(self, *, fresh: bool = False, force: bool = False) -> Boot:
        """Boot, and once more with the plugin that sees each program start; arguments as of `boot`.

        What the console does not show of user space's stages is taken from there. Raise BootlabError where programs
        cannot be seen.
        """
        from bootlab.experiments.processes import with_programs

        with self.bench(force=force) as bench:
            bench.phase("boot", 1)
            recording = bench.boot(self.value, self.name, fresh=bench.fresh_number() if fresh else 0)
            if recording.ok:
                recording = with_programs(bench, self.value, recording)
        return self._kept(recording, None)

    def boot_costed(
        self, core: str, *, programs: bool = False, initcalls: bool = False, fresh: bool = False, force: bool = False
    ) -> tuple[Boot, Costing | None]:
        """Boot, and once more with the plugin that models a processor: what that takes, by stage.

        `core`: one of `costs/cores`, with a clock or without: `cortex-a53@1.2GHz`; or a file of a calibration.
        `programs`: stages of user space that only the starts of programs show are costed too. `initcalls`: and those of
        the kernel, which a traced boot tells. None where the goal was
        not reached.
        Raise UserError for a core that is not known or is of another machine, BootlabError where none can be modelled.
        """
        from bootlab.analysis import function_tables
        from bootlab.costs.cores import core_of
        from bootlab.experiments.costing import costed
        from bootlab.experiments.processes import with_programs
        from bootlab.experiments.traced_boot import trace_boot
        from bootlab.tracing.boot import TraceRequest

        chosen = core_of(core, self.value.machine.arch)
        with self.bench(force=force) as bench:
            bench.phase("costing", 3 if initcalls else 2)
            recording = bench.boot(self.value, self.name, fresh=bench.fresh_number() if fresh else 0)
            if programs and recording.ok:
                recording = with_programs(bench, self.value, recording)
            calls = None
            if initcalls and recording.ok:
                calls = function_tables.initcalls(trace_boot(bench, self.value, TraceRequest()).trace)
            costing = costed(bench, self.value, recording, chosen, calls) if recording.ok else None
        return self._kept(recording, None, costing), costing

    def processes(self) -> tuple[ProcessCost, ...]:
        """Boot once for the time and once with the plugin that counts each process's instructions, up to the goal.

        Raise UserError where processes cannot be told apart, MeasurementError when the plugin changed the boot.
        """
        from bootlab.experiments.processes import process_costs

        with self.bench() as bench:
            return process_costs(bench, self.value)

    def delay_loop(self, *, anew: bool = False) -> LpjBoot:
        """Boot without a preset and read the delay loop's line. `anew`: with `lpj=0`, against a compiled-in preset.

        Raise MeasurementError when this kernel calibrates nothing.
        """
        from bootlab.experiments import lpj

        with self.bench() as bench:
            bench.phase("delay loop")
            return lpj.recalibrated(bench, self.value) if anew else lpj.base_value(bench, self.value)
