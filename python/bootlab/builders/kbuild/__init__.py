# SPDX-License-Identifier: MIT
"""Building kernels with the kernel's own makefiles."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bootlab.builders.kbuild.builder import KernelBuilder, KernelSizes
    from bootlab.builders.kbuild.built import BuiltKernel

__all__ = ["BuiltKernel", "KernelBuilder", "KernelSizes"]


def __getattr__(name: str) -> object:
    """Load the builder at its first use: most systems name an image."""
    if name not in __all__:
        raise AttributeError(f"module 'bootlab.builders.kbuild' has no attribute {name!r}")
    from bootlab.builders.kbuild import builder, built  # noqa: PLC0415

    return getattr(built if name == "BuiltKernel" else builder, name)
