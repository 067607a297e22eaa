"""A laboratory for Linux boot time. From Python: :class:`System`, :class:`Boot`, :class:`Results`."""

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.api import Boot, Results, System
    from bootlab.errors import BootlabError

__all__ = ["Boot", "BootlabError", "Results", "System", "__version__"]

try:
    __version__ = version("bootlab")
except PackageNotFoundError:  # a checkout that is not installed
    __version__ = "0+unknown"

_PLACES = {
    "Boot": "bootlab.api",
    "BootlabError": "bootlab.errors",
    "Results": "bootlab.api",
    "System": "bootlab.api",
}


def __getattr__(name: str) -> object:
    """Load the API at its first use: `bootlab --help` must not wait for it."""
    import importlib  # noqa: PLC0415

    if name not in _PLACES:
        raise AttributeError(f"module 'bootlab' has no attribute {name!r}")
    return getattr(importlib.import_module(_PLACES[name]), name)
