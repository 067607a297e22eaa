# SPDX-License-Identifier: MIT
"""The kernel functions that techniques want marked as their proof, known without the catalogue.

Every boot marks them, so that its recording proves whatever is tried later.
"""

from __future__ import annotations

from bootlab.techniques.installed import others_may_be_installed

# Of the built-in techniques (a test compares): reading the whole catalogue for them would slow every boot down.
BUILT_IN = ("alternatives_smp_module_add", "tracer_init_tracefs")


def proof_symbols() -> tuple[str, ...]:
    """Return the functions to mark, those of third parties' techniques among them."""
    if not others_may_be_installed():
        return BUILT_IN
    from bootlab.techniques.registry import all_techniques  # noqa: PLC0415 - only where there are third parties

    return tuple(sorted({name for technique in all_techniques() for name in technique.proof_symbols}))
