# SPDX-License-Identifier: MIT
"""The revisions of a system that a bisection goes through: commits of a git repository, or a list of system files."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import msgspec

from bootlab.errors import BuildError, ToolMissing, UserError
from bootlab.model.system import SystemDescription
from bootlab.systemfile import load

_MOST_SAID = 2000


def merge_base(repository: Path, branch: str) -> str:
    """Return the commit at which HEAD left a branch, here or at its origin. Raise UserError where git knows none."""
    if shutil.which("git") is None:
        raise ToolMissing("git", package="git", needed_for="to find the base")
    for name in (f"origin/{branch}", branch):
        words = ["git", "-C", str(repository), "merge-base", "HEAD", name]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 0 and done.stdout.strip():
            return done.stdout.strip()
        if "dubious ownership" in done.stderr:
            raise UserError(
                f"git does not read {repository}: somebody else owns it",
                hint=f"git config --global --add safe.directory {repository}",
            )
    raise UserError(
        f"git knows no commit at which HEAD left {branch} (in {repository})",
        hint=f"a job needs the history: git fetch --unshallow origin {branch}, or fetch-depth: 0",
    )


class Revision(msgspec.Struct, frozen=True):
    """One revision: its name, what its author says of it, and the author's name where that was asked for."""

    name: str
    subject: str = ""
    author: str = ""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a change left its branch, and its commits (no merges): the newest `COMMITS_MAX` of `count`."""

    branch: str
    base: Revision
    commits: tuple[Revision, ...] = ()
    count: int = 0


COMMITS_MAX = 20


def origin(repository: Path, branch: str, base: Revision) -> Origin:
    """Return which commits lie between a base and HEAD. Raise UserError where git does not tell."""
    words = ["git", "-C", str(repository), "log", "--no-merges", "--format=%H%x00%s%x00%an", f"{base.name}..HEAD"]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise UserError(f"git log {base.name[:12]}..HEAD failed: {_last_line(done.stderr)} (in {repository})")
    commits = [Revision(*line.split("\0", 2)) for line in done.stdout.splitlines() if line]
    return Origin(branch=branch, base=base, commits=tuple(commits[:COMMITS_MAX]), count=len(commits))


def _last_line(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else "it said nothing"


class Revisions(Protocol):
    """Revisions, the oldest first."""

    @property
    def all(self) -> tuple[Revision, ...]:
        """Every revision, the oldest first."""

    def system(self, place: int) -> SystemDescription:
        """Build what is needed and return the system as it was at a revision. Raise BootlabError."""


class SystemFiles:
    """System files as revisions: configurations, root trees, packages, in the order in which they were changed."""

    def __init__(self, files: list[Path]) -> None:
        """Take files, the oldest first."""
        self._files = files

    @property
    def all(self) -> tuple[Revision, ...]:
        """Each file's name."""
        return tuple(Revision(str(file)) for file in self._files)

    def system(self, place: int) -> SystemDescription:
        """Read a file."""
        return load(self._files[place])


class GitRevisions:
    """Commits of a repository, each checked out in a folder of its own beside it. Use as a context manager.

    The user's checkout is not touched. `build`: a shell command that is run in the checkout before it boots, with the
    commit in BOOTLAB_REVISION.
    """

    def __init__(
        self, repository: Path, commits: str, system_file: Path, *, build: str = "", limit_s: float = 7200
    ) -> None:
        """Take the range GOOD..BAD (first parents), both ends with it. `system_file`: inside the repository, or not.

        Raise UserError where git does not know the range.
        """
        if shutil.which("git") is None:
            raise ToolMissing("git", package="git", needed_for="to check out revisions")
        self._repository = repository
        self._build = build
        self._limit_s = limit_s
        top = Path(self._git("rev-parse", "--show-toplevel").strip())
        absolute = system_file.resolve()
        # A file of the repository is that of each revision; any other one is the same for all.
        self._inside = absolute.relative_to(top.resolve()) if absolute.is_relative_to(top.resolve()) else None
        self._outside = absolute
        good, dots, bad = commits.partition("..")
        if not dots or not good or commits.count("..") > 1 or bad.startswith("."):
            raise UserError(
                f"{commits!r} is not a range of commits", hint="bootlab bisect v1.0..HEAD --system-file SYSTEM.toml"
            )
        for end in (good, bad or "HEAD"):
            self._git(
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                f"{end}^{{commit}}",
                what=f"{end} is not a commit",
            )
        listed = self._git(
            "log", "--first-parent", "--reverse", "--format=%H%x00%s", f"{good}^{{commit}}..{bad or 'HEAD'}"
        )
        oldest = self._git("log", "-1", "--format=%H%x00%s", f"{good}^{{commit}}")
        lines = [*oldest.splitlines(), *listed.splitlines()]
        self._all = tuple(Revision(*line.split("\0", 1)) for line in lines if line)
        self._folder: Path | None = None

    def __enter__(self) -> Self:
        """Make the folder of the checkouts."""
        self._folder = Path(tempfile.mkdtemp(prefix="bootlab-bisect-"))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove it, and git's note of it."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(UserError):
            self._git("worktree", "prune")

    @property
    def all(self) -> tuple[Revision, ...]:
        """Every commit, the oldest first."""
        return self._all

    def system(self, place: int) -> SystemDescription:
        """Check a commit out, build it, and read its system file."""
        if self._folder is None:
            raise AssertionError("used outside of its context")
        checkout = self._folder / "checkout"
        name = self._all[place].name
        if not checkout.exists():
            self._git("worktree", "add", "--quiet", "--detach", "--force", str(checkout), name)
        else:
            # What an earlier revision built must not reach this one, but ignored files (objects) save its time.
            self._git("checkout", "--quiet", "--detach", "--force", name, folder=checkout)
            self._git("clean", "-qfd", folder=checkout)
        # System files may name it, whose paths are read from the environment.
        os.environ["BOOTLAB_TREE"] = str(checkout)
        if self._build:
            self._run_build(checkout, name)
        return load(checkout / self._inside if self._inside is not None else self._outside)

    def _run_build(self, checkout: Path, name: str) -> None:
        environment = os.environ | {"BOOTLAB_REVISION": name, "BOOTLAB_TREE": str(checkout)}
        process = subprocess.Popen(
            ["/bin/sh", "-c", self._build],
            cwd=checkout,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=self._limit_s)
        except BaseException as fault:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(fault, subprocess.TimeoutExpired):
                raise BuildError(f"{name[:12]}: the build took more than {self._limit_s:g} s") from fault
            raise
        if process.returncode:
            end = said[-_MOST_SAID:].decode("utf-8", "replace").strip().splitlines()[-3:]
            raise BuildError(f"{name[:12]}: the build command ended with {process.returncode}: {' / '.join(end)}")

    def _git(self, *words: str, folder: Path | None = None, what: str = "") -> str:
        done = subprocess.run(
            ["git", "-C", str(folder or self._repository), *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            said = (
                what or f"git {words[0]}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'failed'}"
            )
            raise UserError(f"{said} (in {self._repository})", hint="bootlab bisect GOOD..BAD --repository FOLDER")
        return done.stdout
