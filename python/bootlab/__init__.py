"""A laboratory for Linux boot time."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("bootlab")
except PackageNotFoundError:  # a checkout that is not installed
    __version__ = "0+unknown"
