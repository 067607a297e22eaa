"""Stubs of the native core (crates/bootlab-python)."""

__version__: str
