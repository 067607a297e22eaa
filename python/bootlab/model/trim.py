# SPDX-License-Identifier: MIT
"""What `bootlab rootfs trim` finds: which file of a tree stays and which goes, why, and that the system still works."""

from __future__ import annotations

from typing import Literal

import msgspec

from bootlab.model.accesses import Method, MethodState

Reason = Literal[
    "first program", "application", "used", "check", "looked at", "keep-list", "put back", "link", "interpreter",
    "loader", "library", "hard link", "device node", "mount point", "folder", "empty folder", "never used",
]  # fmt: skip
"""Why a file stays; `never used` is why it goes. docs/how-to/trim-a-root-tree.md says what each means."""


class TrimmedFile(msgspec.Struct, frozen=True, kw_only=True):
    """One name of the tree. Of a file with several names the first has its bytes, the others have none.

    `detail`: by whom it was used, or of which kept file it is the library, folder, ...
    """

    path: str
    kind: str
    size_bytes: int
    kept: bool
    reason: Reason
    detail: str = ""


class TreeSize(msgspec.Struct, frozen=True, kw_only=True):
    """How large a tree is, what it is packed as, and when the system that boots from it is at its goal.

    `image_bytes`: the packed initramfs or root; None for a dry run. `goal_ns` on the system's clock.
    """

    names: int
    files: int
    file_bytes: int
    image_bytes: int | None = None
    goal_ns: int | None = None


class PutBack(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the trimmed system turned out to need, and what showed it."""

    path: str
    why: str


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One trimmed tree that was booted. `broken`: why it lost its function, "" when it did not."""

    dropped: int
    broken: str
    put_back: tuple[PutBack, ...] = ()
    key: str = ""


class Missed(msgspec.Struct, frozen=True, kw_only=True):
    """A file that other methods saw, and why this one did not; `explained` is false when nobody knows."""

    path: str
    why: str
    explained: bool


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """What one method saw of the regular files that any method saw in the same boot."""

    method: Method
    seen: int
    missed: tuple[Missed, ...] = ()


class Trimmed(msgspec.Struct, frozen=True, kw_only=True):
    """The whole result.

    `passed`: the trimmed system reaches its goal and does what the check asks (None: not booted). `checked`: there is a
    functional check; without one the goal alone decided. `folder`: where the trimmed system was written.
    """

    format: str = "bootlab-trim"
    version: int = 1
    system: str
    clock: str
    methods: tuple[MethodState, ...]
    agreements: tuple[Agreement, ...]
    files: tuple[TrimmedFile, ...]
    before: TreeSize
    after: TreeSize
    rounds: tuple[Round, ...] = ()
    passed: bool | None = None
    checked: bool = True
    folder: str = ""

    @property
    def kept(self) -> tuple[TrimmedFile, ...]:
        """What stays."""
        return tuple(file for file in self.files if file.kept)

    @property
    def dropped(self) -> tuple[TrimmedFile, ...]:
        """What goes."""
        return tuple(file for file in self.files if not file.kept)
