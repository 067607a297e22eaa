# SPDX-License-Identifier: MIT
"""From the modules that a system loads to the options that build them into the kernel, as `make localyesconfig` does.

A module's option comes from the Makefile that builds it (kernel: Documentation/kbuild/makefiles.rst), and what has to
be built in with it from Kconfig: an option that depends on a module can be a module at most
(Documentation/kbuild/kconfig-language.rst). scripts/kconfig/streamline_config.pl does the same by patterns.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bootlab.kernelsource.advice import Advisor
from bootlab.kernelsource.configuration import Configuration
from bootlab.kernelsource.expression import requires
from bootlab.kernelsource.kbuild import Built, Kbuild
from bootlab.kernelsource.kconfig import Kconfig

_ROUNDS = 32
"""An option needs another one, which needs a third: a chain longer than this is none of a kernel's."""


class BuiltIn(msgspec.Struct, frozen=True, kw_only=True):
    """The options (without `CONFIG_`) that are set to y so that modules are in the kernel, and modules left out.

    Options that a person cannot set (no prompt) are not named: the others select them. `left`: modules whose option
    the source does not tell, or which cannot be built in.
    """

    options: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def module_name(stem: str) -> str:
    """Return a module's name as /proc/modules has it: of `drivers/virtio/virtio-pci`, `virtio_pci`."""
    return stem.rpartition("/")[2].replace("-", "_")


class ModuleOptions:
    """All modules of a tree by name, under one configuration."""

    def __init__(self, kbuild: Kbuild, kconfig: Kconfig, configuration: Configuration) -> None:
        """Take a tree's Makefiles, its symbols, and their values."""
        self._kconfig, self._configuration = kconfig, configuration
        self._advisor = Advisor(kconfig, configuration)
        self._ways: dict[str, list[Built]] = {}
        for stem, ways in kbuild.objects.items():
            for way in ways:
                self._ways.setdefault(module_name(way.inside[-1] if way.inside else stem), []).append(way)

    def option(self, module: str) -> str:
        """Return the nearest option that is m and without which a module is not built; "" where none is known."""
        for way in self._ways.get(module, ()):
            for name in way.symbols:
                if self._configuration.value(name) == "m" and requires(way.condition, name, self._advisor.value):
                    return name
        return ""

    def built_in(self, modules: Sequence[str]) -> BuiltIn:
        """Return what is set to y so that modules which a system loads together are all in the kernel."""
        own = {module: self.option(module) for module in modules}
        wanted = {symbol for symbol in own.values() if symbol}
        refused: set[str] = set()
        for _ in range(_ROUNDS):
            more, against = self._next(wanted - refused)
            if not more - wanted and not against - refused:
                break
            wanted, refused = wanted | more, refused | against
        options = tuple(sorted(name for name in wanted - refused if self._kconfig.symbols[name].prompt))
        return BuiltIn(options=options, left=tuple(m for m, symbol in own.items() if not symbol or symbol in refused))

    def _next(self, wanted: set[str]) -> tuple[set[str], set[str]]:
        """Return what must be y besides, and those of the wanted options that cannot be y."""
        values = self._configuration.values | dict.fromkeys(wanted, "y")
        advisor = Advisor(self._kconfig, Configuration(values, self._configuration.complete))
        more: set[str] = set()
        against: set[str] = set()
        for name in wanted:
            if not self._kconfig.symbols[name].prompt:
                continue
            for reason in advisor.why_not(name, "y"):
                modules = {other for other, value in reason.values if value == "m" and self._may_be_set(other)}
                if reason.kind == "unmet" and modules:
                    more |= modules
                elif reason.kind != "unknown":
                    against.add(name)
        return more, against

    def _may_be_set(self, name: str) -> bool:
        found = self._kconfig.symbols.get(name)
        return found is not None and bool(found.prompt)
