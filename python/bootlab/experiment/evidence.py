"""A base system with everything known of it: timing boot, diagnostic boot, kernel facts."""

from __future__ import annotations

import msgspec

from bootlab.builders import compress
from bootlab.builders.kernelinfo import KernelInfo
from bootlab.collectors.diagnosis import diagnose, diagnostic_system
from bootlab.errors import TargetError
from bootlab.experiment.bench import Bench
from bootlab.model.recording import Diagnosis, Recording
from bootlab.model.system import System
from bootlab.techniques.base import Context, Evidence


class BaseFailedError(TargetError):
    """The base system itself does not reach its goal, so nothing can be compared with it."""

    def __init__(self, recording: Recording) -> None:
        """Say how it ended."""
        meta = recording.meta
        place = f"; its recording is {recording.path}" if recording.path else ""
        super().__init__(
            f"the base did not reach its goal ({meta.outcome.value}): {meta.reason}{place}", hint=meta.outcome.hint
        )
        self.exit_code = meta.outcome.exit_code


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """The base of an experiment."""

    system: System
    recording: Recording
    diagnosis: Diagnosis | None
    info: KernelInfo

    @property
    def evidence(self) -> Evidence:
        """Return what a technique compares a variant with."""
        return Evidence(system=self.system, recording=self.recording, diagnosis=self.diagnosis)

    @property
    def context(self) -> Context:
        """Return what a technique may look at."""
        return Context(
            system=self.system,
            recording=self.recording,
            diagnosis=self.diagnosis,
            config=self.info.config,
            kernel_version=self.info.numbers,
            symbols=self.info.symbols,
            compressors=compress.available(),
            pvh_entry=self.info.pvh_entry is not None,
        )


def establish(bench: Bench, system: System, *, diagnostic: bool = True, label: str = "base") -> Base:
    """Boot the base for its time and once more for a diagnosis. Raise BaseFailedError when it has no goal."""
    info = bench.target.plan(system).info
    timing = bench.submit(system, label)
    recording = bench.wait(timing)
    if not recording.ok:
        raise BaseFailedError(recording)
    diagnosis = diagnosis_of(bench, system, recording, label) if diagnostic else None
    return Base(system=system, recording=recording, diagnosis=diagnosis, info=info)


def diagnosis_of(bench: Bench, system: System, timing: Recording, label: str) -> Diagnosis | None:
    """Make the diagnostic boot of a system whose timing boot is there. None: this system cannot carry the agent."""
    instrumented = diagnostic_system(system, timing, bench.target)
    if instrumented is None:
        return None
    return diagnose(bench.boot(instrumented, f"{label} (diagnostic)", purpose="diagnostic"))
