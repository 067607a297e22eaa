# SPDX-License-Identifier: MIT
"""A laboratory for Linux boot time. From Python: :class:`System`, :class:`Boot`, :class:`Results`, :func:`analyze`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.api import Boot, Results, System
    from bootlab.errors import BootlabError
    from bootlab.logs import Analysis, analyze

    __version__: str

__all__ = ["Analysis", "Boot", "BootlabError", "Results", "System", "__version__", "analyze"]

_PLACES = {
    "Analysis": "bootlab.logs",
    "analyze": "bootlab.logs",
    "Boot": "bootlab.api.boot",
    "BootlabError": "bootlab.errors",
    "Results": "bootlab.api.results",
    "System": "bootlab.api.system",
}


def __getattr__(name: str) -> object:
    """Load the API at its first use: `bootlab --help` must not wait for it."""
    import importlib  # noqa: PLC0415

    if name == "__version__":
        globals()["__version__"] = _version()
        return globals()["__version__"]
    if name not in _PLACES:
        raise AttributeError(f"module 'bootlab' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("bootlab")
    except PackageNotFoundError:  # a checkout that is not installed
        return "0+unknown"
