# SPDX-License-Identifier: MIT
"""A kernel's loops per jiffy: read from a log, kept in a file, and told whether a kept value still fits."""

from __future__ import annotations

from bootlab.logs.delay_loop import DelayLoop, read_log
from bootlab.logs.lpj_value import TOLERANCE, StoredLpj, stored_from, validate
from bootlab.store.lpj_file import load, save

__all__ = ["TOLERANCE", "DelayLoop", "StoredLpj", "load", "read_log", "save", "stored_from", "validate"]
