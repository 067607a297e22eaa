"""A job as a file, and the answer to it: JSON of a version, so that any engine can hand it to a worker.

Nothing in it names a machine: artefacts are named by their contents. A worker of another version leaves a job alone,
because it could make another boot of it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.errors import BootlabError, EnvironmentFault, MeasurementError, TargetError, UserError
from bootlab.targets.base import BootPlan

JOB_FORMAT = "bootlab-job"
ANSWER_FORMAT = "bootlab-job-answer"
_VERSION = 1
_KINDS = (UserError, EnvironmentFault, TargetError, MeasurementError)


class DamagedJob(UserError):
    """A file is no job: cut off, or something else."""

    def __init__(self, name: str, what: object) -> None:
        """Name the file and what is wrong with it."""
        super().__init__(
            f"{name} is no job: {what}", hint="is the disk of the shared folder full? Give the command again"
        )


class OtherVersion(EnvironmentFault):
    """A job, or an answer, is of another bootlab."""

    def __init__(self, name: str, what: str) -> None:
        """Name the file and its version."""
        super().__init__(f"{name} is of {what}", hint="install one version of bootlab on all machines")


class JobFile(msgspec.Struct, frozen=True, kw_only=True):
    """A boot that somebody may make. The limits of the boot are those of the system in the plan."""

    format: str = JOB_FORMAT
    version: int = _VERSION
    bootlab: str
    """The version of bootlab that made the plan."""
    kind: Literal["boot"] = "boot"
    name: str
    """The name of the boot: the recording goes to `boots/NAME/ATTEMPT/`."""
    share: str = ""
    """The URL with files and recordings; "": the folder that the job lies in."""
    files: dict[str, str]
    """Paths in the plan, with the digests by which the files are found."""
    plan: BootPlan


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a job: an attempt, an error, or neither when it was stopped."""

    format: str = ANSWER_FORMAT
    version: int = _VERSION
    worker: str
    attempt: str = ""
    error: str = ""
    """The kind of error."""
    message: str = ""
    hint: str = ""

    def require(self) -> None:
        """Raise the worker's error here."""
        if self.error:
            kinds = {kind.__name__: kind for kind in _KINDS}
            raise kinds.get(self.error, EnvironmentFault)(self.message, hint=self.hint)


class _Head(msgspec.Struct, frozen=True):
    format: str
    version: int
    bootlab: str = ""


# Made here, by one thread: msgspec crashes when two threads look at a type for the first time at once.
_READ_HEAD = msgspec.json.Decoder(_Head)
_READ_JOB = msgspec.json.Decoder(JobFile)
_READ_ANSWER = msgspec.json.Decoder(Answer)


def written(document: JobFile | Answer) -> bytes:
    """Return the text of a job or an answer."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1)


def read_job(name: str, raw: bytes, bootlab: str) -> JobFile:
    """Return a job. Raise DamagedJob where it is none, OtherVersion where this `bootlab` did not write it."""
    try:
        head = _READ_HEAD.decode(raw)
        if head.format != JOB_FORMAT:
            raise DamagedJob(name, f"its format is {head.format[:40]!r}")
        if head.version != _VERSION:
            raise OtherVersion(name, f"version {head.version}; this bootlab makes jobs of version {_VERSION}")
        if head.bootlab != bootlab:
            raise OtherVersion(name, f"bootlab {head.bootlab[:40]}; this is {bootlab}")
        job = _READ_JOB.decode(raw)
    except msgspec.DecodeError as fault:
        raise DamagedJob(name, fault) from fault
    if not name.startswith(f"{job.name}."):
        raise DamagedJob(name, f"it is the job {job.name[:80]!r}")
    return job


def read_answer(name: str, raw: bytes) -> Answer:
    """Return an answer. Raise DamagedJob or OtherVersion."""
    try:
        head = _READ_HEAD.decode(raw)
        if (head.format, head.version) != (ANSWER_FORMAT, _VERSION):
            raise OtherVersion(name, f"{head.format[:40]} version {head.version}")
        return _READ_ANSWER.decode(raw)
    except msgspec.DecodeError as fault:
        raise DamagedJob(name, fault) from fault


def error_of(worker: str, fault: Exception) -> Answer:
    """Return the answer that tells of an error."""
    if not isinstance(fault, BootlabError):
        # A bug, or a full disk: another worker may do better.
        message = f"{worker} could not make a boot: {type(fault).__name__}: {fault}"
        return Answer(worker=worker, error="EnvironmentFault", message=message, hint="its terminal says more")
    kind = next((kind.__name__ for kind in _KINDS if isinstance(fault, kind)), "EnvironmentFault")
    return Answer(worker=worker, error=kind, message=fault.message, hint=fault.hint)
