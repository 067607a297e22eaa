"""Building kernels with the kernel's own makefiles."""

from bootlab.builders.kbuild.builder import BuildObserver, KernelBuilder, KernelSizes
from bootlab.builders.kbuild.built import BuiltKernel

__all__ = ["BuildObserver", "BuiltKernel", "KernelBuilder", "KernelSizes"]
