# SPDX-License-Identifier: MIT
"""The source that a system's kernel is built from: which option builds an initcall, which file defines a function."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import msgspec

from bootlab.builders.artefacts import kernel_build
from bootlab.builders.cache import Cache
from bootlab.builders.kbuild import KernelBuilder
from bootlab.kernelsource.async_probe_patch import async_probe_patch
from bootlab.kernelsource.configuration import Configuration, from_mapping
from bootlab.kernelsource.functions import function_index
from bootlab.kernelsource.levers import Lever, levers_of
from bootlab.kernelsource.module_options import BuiltIn, ModuleOptions
from bootlab.kernelsource.tree import ConfiguredTree
from bootlab.model.source_build import KernelPatch
from bootlab.model.system import SystemDescription


class FunctionText(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the source as it is compiled, patches and all, that defines a function. `line` counts from 1."""

    file: str
    line: int
    text: str


class KernelSource:
    """Opened when something is asked of it: the first question to a tree makes its index, which takes seconds."""

    def __init__(self, cache: Cache, system: SystemDescription, config: dict[str, str]) -> None:
        """Take a system whose kernel is built. `config`: what it is built with, by `CONFIG_X`.

        Raise UserError for a system whose file names an image.
        """
        self._cache, self._build, self._arch = cache, kernel_build(system), system.machine.arch
        self._config: Configuration = from_mapping(config)
        self._asked: dict[tuple[str, ...], dict[str, Lever]] = {}

    def initcall_options(self, names: tuple[str, ...]) -> dict[str, str]:
        """Return the option without which an initcall would not be built, for those where the source leaves no doubt.

        That is: one definition, an option that may be switched off as things are configured, and no other option that
        would go with it.
        """
        nearest = self._nearest(names)
        return {name: near.symbol for name, near in nearest.items() if near.disable == "yes" and not near.dependents}

    def module_options(self, names: tuple[str, ...]) -> dict[str, str]:
        """Return the option that builds an initcall into the kernel and may build it as a module, and nothing else.

        What needs it and is no module would be lost, or built in no longer: then the option is not returned.
        """
        return {
            name: near.symbol
            for name, near in self._nearest(names).items()
            if near.module == "yes" and not self._tree.advisor.dependents(near.symbol, "m")
        }

    def built_in(self, modules: tuple[str, ...]) -> BuiltIn:
        """Return the options that build modules into the kernel (names as in /proc/modules)."""
        return ModuleOptions(self._tree.kbuild, self._tree.kconfig, self._config).built_in(modules)

    def async_patches(self, names: tuple[str, ...]) -> dict[str, KernelPatch]:
        """Return patches that let the drivers of initcalls probe asynchronously, where they can be written."""
        patches: dict[str, KernelPatch] = {}
        for place in (self._tree.resolver.named(name) for name in names):
            if place.certainty != "resolved" or not place.file:
                continue
            text = async_probe_patch(self._read(place.file), file=place.file, initcall=place.name)
            if text is not None and text.isascii():
                patches[place.name] = KernelPatch(name=f"async-{place.name}.patch", text=text)
        return patches

    def _nearest(self, names: tuple[str, ...]) -> dict[str, Lever]:
        """Return the nearest option of each initcall that is built in, where the source leaves no doubt about it."""
        if names not in self._asked:
            found = self._asked[names] = {}
            for one in levers_of(self._tree, [self._tree.resolver.named(name) for name in names]):
                near = one.levers[0] if one.levers else None
                if one.place.certainty == "resolved" and one.initcall and near is not None and near.value == "y":
                    found[one.place.name] = near
        return self._asked[names]

    def definitions(self, name: str) -> list[FunctionText]:
        """Return the files that define a function: those that can be in this kernel, else all that the tree has."""
        patched = function_index(self._patched, self._tree.srcarch, self._index_folder) if self._is_patched else None
        # A patched tree is one of links; its index holds only the files that a patch made real.
        own = patched.named([name]).get(name, []) if patched else []
        listed = [one for one in self._tree.index.named([name]).get(name, []) if not self._changed(one.file)]
        every = [*own, *listed]
        built = [one for one in every if self._tree.resolver.objects(one.file)]
        return [
            FunctionText(file=one.file, line=one.line, text=self._read(one.file))
            for one in {(d.file, d.line): d for d in built or every}.values()
        ]

    def _changed(self, file: str) -> bool:
        return self._is_patched and not (self._patched / file).is_symlink()

    def _read(self, file: str) -> str:
        # What is no UTF-8 must come out of the patch as the bytes that it was.
        return (self._patched / file).read_bytes().decode("utf-8", "surrogateescape")

    @cached_property
    def _patched(self) -> Path:
        return KernelBuilder(self._cache).source_tree(self._build, self._arch)

    @property
    def _is_patched(self) -> bool:
        return bool(self._build.patches)

    @property
    def _index_folder(self) -> Path:
        return self._cache.root / "kernelsource"

    @cached_property
    def _tree(self) -> ConfiguredTree:
        plain = KernelBuilder(self._cache).source_tree(msgspec.structs.replace(self._build, patches=()), self._arch)
        return ConfiguredTree(plain, cache=self._cache.root, arch=self._arch, configuration=self._config)
