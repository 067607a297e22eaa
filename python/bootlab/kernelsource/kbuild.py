# SPDX-License-Identifier: MIT
"""Which source files a kernel is built from, and under which conditions, from its Makefiles.

Source: kernel, Documentation/kbuild/makefiles.rst and scripts/Makefile.{build,lib}. Nothing is built.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import msgspec

from bootlab.errors import UserError
from bootlab.kernelsource.expression import FALSE, Constant, Expression, Ref, both, negated, symbols
from bootlab.kernelsource.makefile import Alternative, Makefile, Piece

_FOLDERS_LIMIT = 20_000
_DEPTH = 16
_TOP = re.compile(r"^(core|drivers|libs|net|virt|init)-(y|\$\(CONFIG_(\w+)\))\s*[:+]?=\s*(.*)$", re.MULTILINE)
_ARCH_LISTS = ("head", "core", "drivers", "libs", "net", "virt")
_OBJECT_LISTS = ("obj", "lib", "extra", "head")


class MakefileLine(msgspec.Struct, frozen=True):
    """One Makefile line on the way to an object."""

    makefile: str
    line: int
    condition: Expression


class Built(msgspec.Struct, frozen=True):
    """An object file without its suffix (`drivers/acpi/bus`), and the lines that put it into the kernel."""

    stem: str
    steps: tuple[MakefileLine, ...]
    inside: tuple[str, ...] = ()
    """Composite objects that it is linked into, the innermost first: for a module, the last is its name."""

    @property
    def condition(self) -> Expression:
        """When it is built: y into the image, m into a module."""
        return both(*(step.condition for step in self.steps))

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that decide on it, the nearest first."""
        found: list[str] = []
        for step in reversed(self.steps):
            found += [name for name in dict.fromkeys(symbols(step.condition)) if name not in found]
        return tuple(found)


class Kbuild:
    """All objects by stem. One stem may be built in several ways."""

    def __init__(self, tree: Path, srcarch: str) -> None:
        """Read a tree's Makefiles. Raise UserError when it has none for the architecture."""
        self.tree = tree
        self.srcarch = srcarch
        self.objects: dict[str, list[Built]] = {}
        self.order: dict[str, int] = {}
        self.makefiles: list[str] = []
        self._exported = {"SRCARCH": srcarch, "srctree": ".", "objtree": ".", "KBUILD_EXTMOD": ""}
        self._exported |= {"ARCH": srcarch, "src": ".", "obj": ".", "empty": "", "comma": ","}
        self._read: set[tuple[str, Expression]] = set()
        self._from_above: dict[str, list[Alternative]] = {}
        if not (tree / "arch" / srcarch / "Makefile").is_file():
            raise UserError(f"{tree} has no arch/{srcarch}/Makefile", hint="give the top folder of a kernel's source")
        self._from_arch()
        self._from_top()

    def _from_arch(self) -> None:
        name = f"arch/{self.srcarch}/Makefile"
        makefile = self._makefile(name)
        if "BITS" not in makefile.variables:
            wide = Ref("64BIT")
            makefile.variables["BITS"] = [Alternative(wide, "64"), Alternative(negated(wide), "32")]
        # What the architecture's Makefile hands to all others.
        self._from_above = {
            name: makefile.variables[name] for name in {"BITS", *makefile.exported} if name in makefile.variables
        }
        for kind in _ARCH_LISTS:
            for piece in makefile.lists.get(kind, []):
                self._word(piece, "", MakefileLine(name, piece.line, piece.condition), makefile, (), ())

    def _from_top(self) -> None:
        text = self._text("Makefile")
        for match in _TOP.finditer(text.replace("\\\n", " ")):
            condition: Expression = Ref(match[3]) if match[3] else Constant("y")
            line = text[: text.find(match[0][:30])].count("\n") + 1
            for word in match[4].split():
                if "$" not in word:
                    self._word(
                        Piece(condition, word, line), "", MakefileLine("Makefile", line, condition), None, (), ()
                    )
        if (self.tree / "Kbuild").is_file():
            self._folder("", ())
        self._folder(f"arch/{self.srcarch}", ())

    def _text(self, name: str) -> str:
        try:
            path = self.tree / name
            if not path.resolve().is_relative_to(self.tree.resolve()):
                return ""
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def _makefile(self, name: str) -> Makefile:
        makefile = Makefile(self._text(name), self._exported)
        self.makefiles.append(name)
        return makefile

    def _folder(self, folder: str, steps: tuple[MakefileLine, ...]) -> None:
        condition = both(*(step.condition for step in steps))
        if condition == FALSE or (folder, condition) in self._read or len(steps) > _DEPTH:
            return
        if len(self._read) > _FOLDERS_LIMIT:
            return
        self._read.add((folder, condition))
        name = next((n for n in ("Kbuild", "Makefile") if (self.tree / folder / n).is_file()), None)
        if name is None:
            return
        name = posixpath.join(folder, name)
        exported = dict(self._exported, src=folder or ".", obj=folder or ".")
        makefile = Makefile("", exported)
        makefile.variables |= self._from_above
        makefile.read(self._included(self._text(name), folder))
        self.makefiles.append(name)
        for kind in _OBJECT_LISTS:
            for piece in makefile.lists.get(kind, []):
                self._word(piece, folder, MakefileLine(name, piece.line, piece.condition), makefile, steps, ())

    def _included(self, text: str, folder: str) -> str:
        """Put in the files of `include $(srctree)/...`, which a few Makefiles are made of."""

        def read(match: re.Match[str]) -> str:
            wanted = match[1].replace("$(srctree)/", "").replace("$(src)", folder).replace("$(obj)", folder)
            return match[0] if "$" in wanted else self._text(wanted.strip())

        return re.sub(r"^-?include[ \t]+(\S+)$", read, text, flags=re.MULTILINE)

    def _word(
        self,
        piece: Piece,
        folder: str,
        step: MakefileLine,
        makefile: Makefile | None,
        steps: tuple[MakefileLine, ...],
        inside: tuple[str, ...],
    ) -> None:
        here = (*steps, step)
        if piece.condition == FALSE or len(inside) > _DEPTH:
            return
        if piece.word.endswith("/"):
            path = posixpath.normpath(posixpath.join(folder, piece.word))
            if not path.startswith(".."):
                self._folder("" if path == "." else path, here)
            return
        if not piece.word.endswith(".o"):
            return
        stem = posixpath.normpath(posixpath.join(folder, piece.word[:-2]))
        members = makefile.lists.get(piece.word[:-2], []) if makefile is not None else []
        members = [m for m in members if m.word.endswith((".o", "/"))]
        if members and stem not in inside and makefile is not None:
            for member in members:
                self._word(
                    member,
                    folder,
                    MakefileLine(step.makefile, member.line, member.condition),
                    makefile,
                    here,
                    (stem, *inside),
                )
            return
        self.order.setdefault(stem, len(self.order))
        self.objects.setdefault(stem, []).append(Built(stem, here, inside))

    def ways(self, source: str) -> list[Built]:
        """Return how a source file (`drivers/acpi/bus.c`) gets into the kernel; nothing when no Makefile says."""
        return self.objects.get(source.rpartition(".")[0], [])
