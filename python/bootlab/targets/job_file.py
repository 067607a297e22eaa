"""A job as a file, and the answer to it: JSON of a version, so that any engine can hand it to a worker.

Nothing in it names a machine: artefacts are named by their contents. A worker of another version leaves a job alone,
because it could make another boot, or another kernel, of it.
"""

from __future__ import annotations

import msgspec

from bootlab.builders.kbuild.resolved import ResolvedKernel
from bootlab.errors import BootlabError, EnvironmentFault, KernelBuildError, MeasurementError, TargetError, UserError
from bootlab.targets.base import BootPlan

JOB_FORMAT = "bootlab-job"
ANSWER_FORMAT = "bootlab-job-answer"
JOB_VERSION = 2
ANSWER_VERSION = 1
_KINDS = (KernelBuildError, UserError, EnvironmentFault, TargetError, MeasurementError)


class DamagedJob(UserError):
    """A file is not a job: it is cut off, or something else."""

    def __init__(self, name: str, what: object) -> None:
        """Name the file and what is wrong with it."""
        super().__init__(
            f"{name} is not a job: {what}", hint="is the disk of the shared folder full? Run the command again"
        )


class OtherVersion(EnvironmentFault):
    """A job, or an answer, was written by another version of bootlab."""

    def __init__(self, name: str, what: str) -> None:
        """Name the file and its version."""
        super().__init__(f"{name} is of {what}", hint="install one version of bootlab on all machines")


class _Job(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What every job says."""

    format: str = JOB_FORMAT
    version: int = JOB_VERSION
    bootlab: str
    """The version of bootlab that wrote it."""
    name: str
    """The name of the boot (the recording goes to `boots/NAME/ATTEMPT/`), or `kernel_KEY`."""
    share: str = ""
    """The URL with files and results; "": the folder that the job lies in."""
    files: dict[str, str]
    """What it is made of, with the digests by which the files are found. A boot: paths in the plan. A kernel: `config`
    (its `.config`), `source` (an archive) and the paths of embedded files."""


class JobFile(_Job, frozen=True, kw_only=True, tag="boot"):
    """A boot that somebody may make. The limits of the boot are those of the system in the plan."""

    plan: BootPlan


class BuildJobFile(_Job, frozen=True, kw_only=True, tag="build"):
    """A kernel that somebody may build: what decides it, and where its parts are found."""

    key: str
    """The digest of all that decides the kernel. A worker makes it too, with its own tools."""
    kernel: ResolvedKernel


AnyJob = JobFile | BuildJobFile


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a job: an attempt, an error, or neither when it was stopped."""

    format: str = ANSWER_FORMAT
    version: int = ANSWER_VERSION
    worker: str
    attempt: str = ""
    """The name of the recording's attempt; of a kernel, the digest of its archive."""
    error: str = ""
    """The kind of error."""
    message: str = ""
    hint: str = ""
    missing: tuple[str, ...] = ()
    """Of a kernel that does not build: what the linker did not find."""
    log: str = ""
    """Of a kernel that does not build: the digest of its log among the files."""
    log_path: str = ""
    """The path of the log on the worker, which the hint names."""

    def require(self) -> None:
        """Raise the worker's error here."""
        if self.error == KernelBuildError.__name__:
            raise KernelBuildError(self.message, hint=self.hint, missing=frozenset(self.missing), log=self.log_path)
        if self.error:
            kinds = {kind.__name__: kind for kind in _KINDS}
            raise kinds.get(self.error, EnvironmentFault)(self.message, hint=self.hint)


class _Head(msgspec.Struct, frozen=True):
    format: str
    version: int
    bootlab: str = ""


# Made here, by one thread: msgspec crashes when two threads look at a type for the first time at once.
_READ_HEAD = msgspec.json.Decoder(_Head)
_READ_JOB: msgspec.json.Decoder[AnyJob] = msgspec.json.Decoder(AnyJob)
_READ_ANSWER = msgspec.json.Decoder(Answer)


def written(document: AnyJob | Answer) -> bytes:
    """Return the text of a job or an answer."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1)


def read_job(name: str, raw: bytes, bootlab: str) -> AnyJob:
    """Return a job. Raise DamagedJob where it is none, OtherVersion where this `bootlab` did not write it."""
    try:
        head = _READ_HEAD.decode(raw)
        if head.format != JOB_FORMAT:
            raise DamagedJob(name, f"its format is {head.format[:40]!r}")
        if head.version != JOB_VERSION:
            raise OtherVersion(name, f"version {head.version}; this bootlab makes jobs of version {JOB_VERSION}")
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
        if (head.format, head.version) != (ANSWER_FORMAT, ANSWER_VERSION):
            raise OtherVersion(name, f"{head.format[:40]} version {head.version}")
        return _READ_ANSWER.decode(raw)
    except msgspec.DecodeError as fault:
        raise DamagedJob(name, fault) from fault


def error_of(worker: str, fault: Exception) -> Answer:
    """Return the answer that tells of an error."""
    if not isinstance(fault, BootlabError):
        # A bug, or a full disk: another worker may do better.
        message = f"{worker} could not do a job: {type(fault).__name__}: {fault}"
        return Answer(worker=worker, error="EnvironmentFault", message=message, hint="its terminal says more")
    kind = next((kind.__name__ for kind in _KINDS if isinstance(fault, kind)), "EnvironmentFault")
    if isinstance(fault, KernelBuildError):
        missing = tuple(sorted(fault.missing))
        return Answer(
            worker=worker, error=kind, message=fault.message, hint=fault.hint, missing=missing, log_path=fault.log
        )
    return Answer(worker=worker, error=kind, message=fault.message, hint=fault.hint)
