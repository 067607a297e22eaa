# SPDX-License-Identifier: MIT
"""A name for what one thread of one machine writes, where many machines write into one folder."""

from __future__ import annotations

import os
import socket
import threading
import time


def own_name() -> str:
    """Return a name that no other thread of any machine has, and this one never again."""
    host = socket.gethostname().replace(".", "-")
    return f"{host}-{os.getpid()}-{threading.get_ident()}-{time.monotonic_ns()}"
