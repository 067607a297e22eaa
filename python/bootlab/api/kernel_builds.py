# SPDX-License-Identifier: MIT
"""The methods of a system that build its kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bootlab.builders.cache import Cache
from bootlab.model.kernel_change import SetKernelOptions

if TYPE_CHECKING:
    from bootlab.analysis.kernel_size import KernelSize
    from bootlab.builders.kbuild import BuiltKernel, KernelBuilder
    from bootlab.builders.kbuild.fragment import KernelOption
    from bootlab.experiments.bench import Observer
    from bootlab.kernelsource.delay_patch import DelayPatch
    from bootlab.model.system import SystemDescription

Options = tuple[tuple[str, str], ...]
"""Kernel options by name and value."""


class KernelBuilds:
    """What `System` inherits: its kernel built, its configuration and its size."""

    value: SystemDescription
    _cache: Path
    _observer: Observer | None

    def build_kernel(self, options: Options = (), *, compilers: int | None = None) -> BuiltKernel:
        """Build the kernel, with options set, unless it is in the cache. Raise UserError when it has no source.

        `compilers`: how many run at a time (default: one a core).
        """
        from bootlab.builders.artefacts import build_system_kernel

        return build_system_kernel(self._with_options(options), *self._kernels(compilers))

    def delay_patch(self, function: str, to_ns: int, *, sleep: bool = False, only: int | None = None) -> DelayPatch:
        """Write the patch that shortens the delays of a function of the kernel's source.

        `function`: a name, or FILE:NAME. `sleep`: let it sleep where it spins. `only`: the number of one delay, from 1.
        Raise UserError where the function is not found, or has no longer delay.
        """
        from bootlab.experiments.delay import patch_of

        return patch_of(Cache(self._cache), self.value, function, to_ns, sleep=sleep, only=only)

    def kernel_size(self, options: Options = (), *, depth: int = 2) -> KernelSize:
        """Return the kernel's size by subsystem and by option, and against others in the cache; build it if need be.

        `depth`: how many folders deep a subsystem is.
        """
        from bootlab.analysis.kernel_size import kernel_size
        from bootlab.builders.artefacts import size_system_kernel

        return kernel_size(size_system_kernel(self._with_options(options), *self._kernels()), depth=depth)

    def kernel_config(self, options: Options = ()) -> str:
        """Return the `.config` that the kernel is built with, with options set."""
        from bootlab.builders.artefacts import configure_system_kernel

        return configure_system_kernel(self._with_options(options), *self._kernels())

    def kernel_options(self, options: Options) -> tuple[KernelOption, ...]:
        """Return every option of the `.config` that setting some options changes: those, and what follows from them."""
        from bootlab.builders.kbuild.fragment import changed_options

        asked = frozenset(name for name, _ in options)
        return changed_options(self.kernel_config(), self.kernel_config(options), asked)

    def _kernels(self, compilers: int | None = None) -> tuple[Cache, KernelBuilder]:
        from bootlab.builders.kbuild import KernelBuilder

        cache = Cache(self._cache)
        return cache, KernelBuilder(cache, jobs=compilers, observer=self._observer)

    def _with_options(self, options: Options) -> SystemDescription:
        return SetKernelOptions(options).apply(self.value) if options else self.value
