"""What `bootlab fs` finds: one root tree in many file systems, each booted, and those that were left out."""

from __future__ import annotations

from typing import Literal

import msgspec

Medium = Literal["flash", "SD card", "RAM disk", "initramfs"]


class FilesystemRow(msgspec.Struct, frozen=True, kw_only=True):
    """One root file system's boot. Times in nanoseconds; None: not seen.

    *Outside* is what an observer of the port sees: virtual time from reset, of the console byte's store. *Inside* is
    the kernel's own stamp on the same line. `mounted`: the kernel says that the root is there (an initramfs: that it
    starts init); `init`: the first line of user space; `goal`: first use. `image_bytes`: what must be stored, of a
    RAM disk or initramfs its compressed file. `read_bytes`: what was read of the medium until shortly after first use;
    None: not told. `load_ns`: modelled, what reading takes on a board: `read_bytes`, or the image where they are not
    known, over the comparison's bandwidth; in none of the other times. `proof`: what shows that the boot was what the
    row says.
    """

    id: str
    title: str
    medium: Medium
    ok: bool
    outcome: str
    reason: str = ""
    image_bytes: int
    mounted_ns: int | None = None
    mounted_inside_ns: int | None = None
    run_ns: int | None = None
    init_ns: int | None = None
    init_inside_ns: int | None = None
    goal_ns: int | None = None
    goal_inside_ns: int | None = None
    page_cache_kib: int | None = None
    read_bytes: int | None = None
    load_ns: int | None = None
    proved: bool = False
    proof: str = ""
    cmdline: str = ""
    key: str = ""

    @property
    def exec_ns(self) -> int | None:
        """From the kernel's starting init to init's first line, outside."""
        return None if self.init_ns is None or self.run_ns is None else self.init_ns - self.run_ns

    @property
    def use_ns(self) -> int | None:
        """From init's first line to first use, outside."""
        return None if self.goal_ns is None or self.init_ns is None else self.goal_ns - self.init_ns


class LeftOut(msgspec.Struct, frozen=True):
    """A file system that was not booted, and why."""

    id: str
    title: str
    reason: str


class Filesystems(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison: rows by the time of first use, failed ones last. The bandwidth is that of `load_ns`."""

    format: str = "bootlab-filesystems"
    version: int = 1
    system: str
    clock: str
    tree_files: int
    tree_bytes: int
    bandwidth_bytes_per_s: int | None = None
    rows: tuple[FilesystemRow, ...]
    left_out: tuple[LeftOut, ...] = ()
