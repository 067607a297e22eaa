# SPDX-License-Identifier: MIT
"""`bootlab steps`: a system as it is, and after each step of its system file, one on top of the other."""

from __future__ import annotations

from bootlab.cli.comparison import TableFiles, compare, end
from bootlab.cli.session import Booting, SystemArgument


def steps(system_file: SystemArgument, *, files: TableFiles, asked: Booting) -> None:
    """Boot a system as it is, then after each of its [[steps]], each on top of the last; print times, sizes and proofs.

    A step replaces or removes files, changes parameters, or applies a technique. Together the steps lead from what a
    distribution ships to what a product needs. Boots are kept: after an interruption the same command continues, and a
    rerun only prints. Exit code 4: a step does not boot or fails the check.

    Example: bootlab steps video.toml --markdown steps.md
    """
    from bootlab.api.comparisons import Steps  # noqa: PLC0415 - `--help` must not wait for it

    end(compare(system_file, Steps(), files, asked))
