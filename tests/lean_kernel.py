# SPDX-License-Identifier: MIT
"""Debian's kernel without what takes most of its start and is no subject of a test that boots it.

Without the self-tests of ciphers it starts with 690 million instructions instead of 1,570; without the decompressor and
these initcalls with 450. QEMU translates about as much code, so a plain boot saves little time, a traced one more.
A test whose subject they are boots the kernel as it comes.
"""

from __future__ import annotations

import os
from pathlib import Path

from bootlab.model.system import Kernel

LEFT_OUT = (
    "trace_eval_init,ftrace_check_sync,ftrace_check_for_weak_functions,blake2s_mod_init,load_system_certificate_list"
)
"""Initcalls: names of the kernel's trace events, places that may be traced, a hash's self-test, certificates."""

PARAMETERS = f"cryptomgr.notests init_on_alloc=0 raid=noautodetect initcall_blacklist={LEFT_OUT}"


def lean_kernel(image: Path | str) -> Kernel:
    """Return it unpacked, for a machine that loads it so."""
    return Kernel(image=os.path.realpath(image), form="vmlinux")
