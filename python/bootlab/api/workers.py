# SPDX-License-Identifier: MIT
"""Workers: machines that boot and build for others."""

from __future__ import annotations

from bootlab.workers.worker_command import worker_command

__all__ = ["worker_command"]
