# SPDX-License-Identifier: MIT
"""`bootlab rootfs`: a root tree cut down to what is used; which files a board has used; what in a tree cannot run."""

from __future__ import annotations

from bootlab.cli.rootfs_atime import atime
from bootlab.cli.rootfs_check import check
from bootlab.cli.rootfs_trim import trim
from bootlab.cli.verbs import Verbs

rootfs = Verbs(
    "Remove unused files from a root tree and prove that it still works; list the files that a board used; find "
    "programs that cannot start.\n\nExample: bootlab rootfs trim system.toml",
    trim=trim,
    atime=atime,
    check=check,
)
