# SPDX-License-Identifier: MIT
"""bootlab from Python: systems, boots and results as objects, as the verbs of the command line use them.

The example plays recordings back (`target = "replay"`); with `target = "qemu"` the same lines boot machines.

>>> import bootlab
>>> system = bootlab.System.load("tests/replay/system.toml", store=store)
>>> boot = system.boot()
>>> boot.ok, boot.clock, round(boot.goal_ms, 3)
(True, 'virtual', 3139.553)
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.api.boot import Boot
    from bootlab.api.results import Results
    from bootlab.api.store_folder import default_store
    from bootlab.api.system import System

__all__ = ["Boot", "Results", "System", "default_store"]

_PLACES = {"Boot": "boot", "Results": "results", "System": "system", "default_store": "store_folder"}


def __getattr__(name: str) -> object:
    """Load what boots at its first use: a log is read without it."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
