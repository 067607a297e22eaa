# SPDX-License-Identifier: MIT
"""What became of a job that a worker took, as a value that can be sent back: an error, too."""

from __future__ import annotations

import msgspec

from bootlab.errors import BootlabError, EnvironmentFault, KernelBuildError, MeasurementError, TargetError, UserError

_KINDS = (KernelBuildError, UserError, EnvironmentFault, TargetError, MeasurementError)


class JobAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a job: an attempt, an error, or neither when it was stopped."""

    worker: str
    attempt: str = ""
    """Of a kernel: the digest of its archive among the shared files."""
    error: str = ""
    """The kind of error."""
    message: str = ""
    hint: str = ""
    missing: tuple[str, ...] = ()
    """Of a kernel that does not build: what the linker did not find."""
    log: str = ""
    """Of a kernel that does not build: the digest of its log among the shared files."""
    log_path: str = ""
    """The path of the log on the worker, which the hint names."""

    def require(self) -> None:
        """Raise the worker's error here."""
        if self.error == KernelBuildError.__name__:
            raise KernelBuildError(self.message, hint=self.hint, missing=frozenset(self.missing), log=self.log_path)
        if self.error:
            kinds = {kind.__name__: kind for kind in _KINDS}
            raise kinds.get(self.error, EnvironmentFault)(self.message, hint=self.hint)


def error_of(worker: str, fault: Exception) -> JobAnswer:
    """Return the answer that tells of an error."""
    if not isinstance(fault, BootlabError):
        # A bug, or a full disk: another worker may do better.
        message = f"{worker} could not do a job: {type(fault).__name__}: {fault}"
        return JobAnswer(worker=worker, error="EnvironmentFault", message=message, hint="its terminal says more")
    kind = next((kind.__name__ for kind in _KINDS if isinstance(fault, kind)), "EnvironmentFault")
    if isinstance(fault, KernelBuildError):
        missing = tuple(sorted(fault.missing))
        return JobAnswer(
            worker=worker, error=kind, message=fault.message, hint=fault.hint, missing=missing, log_path=fault.log
        )
    return JobAnswer(worker=worker, error=kind, message=fault.message, hint=fault.hint)
