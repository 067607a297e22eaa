# SPDX-License-Identifier: MIT
"""Reads the Kconfig files of a kernel (or U-Boot, Buildroot, BusyBox) for one architecture.

Source: kernel, Documentation/kbuild/kconfig-language.rst and scripts/kconfig/{lexer.l,parser.y,menu.c}.
kconfiglib is not used: it cannot read kernels from 5.12 on.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from bootlab.errors import UserError
from bootlab.kernelsource.expression import (
    TRUE,
    Compare,
    Constant,
    Expression,
    Ref,
    Unknown,
    both,
    either,
    negated,
)
from bootlab.kernelsource.macros import CLOSE, OPEN, Macros
from bootlab.kernelsource.symbol import Choice, Conditional, Definition, SelectClause, Symbol, Type, ValueRange

_TOKEN = re.compile(
    r'\s*(?:(?P<quoted>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
    rf"|(?P<unknown>{OPEN}[^{CLOSE}]*{CLOSE})"
    r"|(?P<operator>&&|\|\||!=|<=|>=|[=<>!()])"
    r"|(?P<word>[\w./-]+)|(?P<comment>#.*)|(?P<odd>\S))"
)
_NUMBER = re.compile(r"-?\d+|0[xX][0-9a-fA-F]+")
_TYPES = frozenset({"bool", "tristate", "int", "hex", "string"})
_RELATIONS = frozenset({"=", "!=", "<", "<=", ">", ">="})
_FILES_LIMIT = 50_000
_DEPTH_LIMIT = 64


class KconfigLine:
    """One line of a Kconfig file, cut into tokens: (kind, text)."""

    def __init__(self, text: str, file: str, number: int) -> None:
        """Cut an expanded line up."""
        self.file, self.number = file, number
        self.tokens = [(match.lastgroup or "", match[match.lastgroup or 0]) for match in _TOKEN.finditer(text)]
        self.tokens = [token for token in self.tokens if token[0] != "comment"]
        self.at = 0

    def next(self) -> tuple[str, str]:
        """Take the next token; ("", "") at the end."""
        if self.at >= len(self.tokens):
            return "", ""
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self) -> tuple[str, str]:
        """Look at the next token."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ("", "")

    def took(self, text: str) -> bool:
        """Take the next token if it is this word or operator."""
        if self.peek()[1] == text and self.peek()[0] in {"word", "operator"}:
            self.at += 1
            return True
        return False

    def string(self) -> str:
        """Take a quoted text or a word."""
        kind, text = self.next()
        if kind == "quoted":
            return re.sub(r"\\(.)", r"\1", text[1:-1]).replace(OPEN, "").replace(CLOSE, "")
        return text.strip(OPEN + CLOSE)

    def condition(self) -> Expression:
        """Take `if EXPRESSION`, or nothing, which is always true."""
        return self.expression() if self.took("if") else TRUE

    def expression(self, depth: int = 0) -> Expression:
        """Take an expression; `||` binds weakest."""
        parts = [self._conjunction(depth)]
        while self.took("||"):
            parts.append(self._conjunction(depth))
        return either(*parts)

    def _conjunction(self, depth: int) -> Expression:
        parts = [self._comparison(depth)]
        while self.took("&&"):
            parts.append(self._comparison(depth))
        return both(*parts)

    def _comparison(self, depth: int) -> Expression:
        if depth > _DEPTH_LIMIT:
            return Unknown("an expression nested too deeply")
        if self.took("!"):
            return negated(self._comparison(depth + 1))
        if self.took("("):
            inner = self.expression(depth + 1)
            self.took(")")
            return inner
        left = self._operand()
        kind, operator = self.peek()
        if kind == "operator" and operator in _RELATIONS:
            self.at += 1
            return Compare(left, operator, self._operand())
        return left

    def _operand(self) -> Constant | Ref | Unknown:
        kind, text = self.next()
        if kind == "quoted":
            inner = re.sub(r"\\(.)", r"\1", text[1:-1])
            return Unknown(inner.replace(OPEN, "").replace(CLOSE, "")) if OPEN in inner else Constant(inner)
        if kind == "unknown":
            return Unknown(text[1:-1])
        if kind != "word":
            return Unknown(text or "nothing")
        if text in {"y", "m", "n"} or _NUMBER.fullmatch(text):
            return Constant(text)
        return Ref(text)


class _Block:
    """A `config` or `choice` while it is read."""

    def __init__(self, line: KconfigLine, name: str, scope: _Scope) -> None:
        self.name, self.file, self.line, self.scope = name, line.file, line.number, scope
        self.depends: Expression = TRUE
        self.type: Type = "unknown"
        self.prompt: str | None = None
        self.prompt_if: Expression = TRUE
        self.defaults: list[Conditional] = []
        self.ranges: list[ValueRange] = []
        self.selections: list[tuple[str, Expression, bool]] = []
        self.help = ""
        self.optional = False


class _Scope:
    """What a menu, an if or a choice puts on everything inside it. A choice's own conditions come after it opened."""

    def __init__(
        self,
        depends: Expression = TRUE,
        visible: Expression = TRUE,
        menu: tuple[str, ...] = (),
        *,
        choice: int | None = None,
        block: _Block | None = None,
    ) -> None:
        self._depends, self._visible, self.menu, self.choice, self.block = depends, visible, menu, choice, block

    @property
    def depends(self) -> Expression:
        return self._depends if self.block is None else both(self._depends, self.block.depends)

    @property
    def visible(self) -> Expression:
        return self._visible if self.block is None else both(self._visible, self.block.prompt_if)

    def needs(self, condition: Expression) -> None:
        """Take `depends on` of a menu."""
        self._depends = both(self._depends, condition)

    def shown_if(self, condition: Expression) -> None:
        """Take `visible if` of a menu."""
        self._visible = both(self._visible, condition)


class Kconfig:
    """All symbols of one architecture's Kconfig files, and what selects what."""

    def __init__(self, symbols: dict[str, Symbol], choices: tuple[Choice, ...], files: tuple[str, ...]) -> None:
        """Take symbols by name. `files`: all that were read, below the tree."""
        self.symbols = symbols
        self.choices = choices
        self.files = files
        self.selected: dict[str, list[SelectClause]] = {}
        for symbol in symbols.values():
            for definition in symbol.definitions:
                for selection in definition.selections:
                    self.selected.setdefault(selection.target, []).append(selection)


def read_kconfig(
    tree: Path, srcarch: str, *, root: str = "Kconfig", environment: dict[str, str] | None = None
) -> Kconfig:
    """Read a tree's Kconfig files; `srcarch`: the folder below arch/. Raise UserError when there is none."""
    if not (tree / root).is_file():
        raise UserError(f"{tree} has no {root}", hint="give the top folder of a kernel's source")
    reader = _Reader(tree, {"SRCARCH": srcarch, "ARCH": srcarch, "srctree": ".", **(environment or {})})
    reader.read(root)
    return reader.finished()


class _Reader:
    def __init__(self, tree: Path, environment: dict[str, str]) -> None:
        self.tree = tree
        self.real_tree = tree.resolve()
        self.macros = Macros(environment)
        self.files: list[str] = []
        self.blocks: list[_Block] = []
        self.choices: list[tuple[_Block, list[str]]] = []
        self.stack: list[tuple[str, _Scope]] = [("top", _Scope())]
        self.block: _Block | None = None

    @property
    def scope(self) -> _Scope:
        return self.stack[-1][1]

    def read(self, name: str, depth: int = 0) -> None:
        """Read one file and what it sources."""
        path = self.tree / name
        # A tree may be anybody's: nothing outside it is read, and no ring of files for ever.
        inside = path.resolve().is_relative_to(self.real_tree)
        if depth > _DEPTH_LIMIT or len(self.files) >= _FILES_LIMIT or not inside:
            return
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return
        self.files.append(name)
        index = 0
        while index < len(lines):
            number = index + 1
            text = lines[index]
            index += 1
            while text.endswith("\\") and index < len(lines):
                text = text[:-1] + lines[index]
                index += 1
            stripped = text.strip()
            if not stripped or stripped[0] == "#":
                continue
            if stripped in {"help", "---help---"}:
                words, index = _help(lines, index)
                if self.block is not None and not self.block.help:
                    self.block.help = words
                continue
            if text[0] not in " \t" and self.macros.assign(stripped):
                continue
            expanded = self.macros.expand(stripped)
            self._statement(KconfigLine(expanded, name, number), name, depth)

    def _statement(self, line: KconfigLine, name: str, depth: int) -> None:  # noqa: PLR0912 - one a statement
        _, word = line.next()
        if word in {"source", "osource", "rsource", "orsource"}:
            self.block = None
            pattern = line.string()
            base = os.path.dirname(name) + "/" if word in {"rsource", "orsource"} and "/" in name else ""  # noqa: PTH120
            for found in self._matching(base + pattern):
                self.read(found, depth + 1)
        elif word in {"config", "menuconfig"}:
            self.block = _Block(line, line.next()[1], self.scope)
            self.blocks.append(self.block)
            if self.scope.choice is not None:
                self.choices[self.scope.choice][1].append(self.block.name)
        elif word in {"menu", "if", "choice"}:
            self._open(word, line)
        elif word in {"endmenu", "endif", "endchoice"}:
            self.block = None
            if len(self.stack) > 1:
                self.stack.pop()
        elif word == "comment":
            self.block = _Block(line, "", self.scope)
        elif word == "visible":
            # Of the menu that was opened last: no entry stands between.
            line.took("if")
            self.scope.shown_if(line.expression())
        elif word == "depends":
            line.took("on")
            wanted = line.expression()
            if wanted == Constant("m"):
                wanted = both(wanted, Ref("MODULES"))
            if line.took("if"):
                wanted = either(negated(line.expression()), wanted)
            if self.block is not None:
                self.block.depends = both(self.block.depends, wanted)
            else:
                self.scope.needs(wanted)
        elif self.block is not None:
            _attribute(self.block, word, line)

    def _open(self, word: str, line: KconfigLine) -> None:
        outer = self.scope
        self.block = None
        if word == "if":
            scope = _Scope(both(outer.depends, line.expression()), outer.visible, outer.menu, choice=outer.choice)
        elif word == "menu":
            scope = _Scope(outer.depends, outer.visible, (*outer.menu, line.string()), choice=outer.choice)
        else:
            self.block = _Block(line, line.next()[1], outer)
            scope = _Scope(outer.depends, outer.visible, outer.menu, choice=len(self.choices), block=self.block)
            self.choices.append((self.block, []))
        self.stack.append((word, scope))

    def _matching(self, pattern: str) -> Iterator[str]:
        pattern = pattern.removeprefix("./")
        if not any(letter in pattern for letter in "*?["):
            yield pattern
            return
        if pattern.startswith("/") or ".." in pattern:
            return
        for path in sorted(self.tree.glob(pattern)):
            yield path.relative_to(self.tree).as_posix()

    def finished(self) -> Kconfig:
        """Put the blocks of one name together."""
        by_name: dict[str, list[_Block]] = {}
        for block in self.blocks:
            by_name.setdefault(block.name, []).append(block)
        symbols: dict[str, Symbol] = {}
        for name, blocks in by_name.items():
            kind: Type = next((block.type for block in blocks if block.type != "unknown"), "unknown")
            symbols[name] = Symbol(name=name, type=kind, definitions=tuple(_definition(block) for block in blocks))
        choices = tuple(
            Choice(
                number=number,
                name=block.name,
                prompt=block.prompt or "",
                members=tuple(dict.fromkeys(members)),
                optional=block.optional,
                visible=both(block.scope.depends, block.depends, block.scope.visible, block.prompt_if),
                file=block.file,
                line=block.line,
            )
            for number, (block, members) in enumerate(self.choices)
        )
        return Kconfig(symbols, choices, tuple(self.files))


def _attribute(block: _Block, word: str, line: KconfigLine) -> None:
    if word in _TYPES:
        block.type = cast("Type", word)
        if line.peek()[0] in {"quoted", "word"} and line.peek()[1] != "if":
            block.prompt = line.string()
            block.prompt_if = line.condition()
    elif word.startswith("def_") and word[4:] in _TYPES:
        block.type = cast("Type", word[4:])
        value = line.expression()
        block.defaults.append(Conditional(value, line.condition()))
    elif word == "prompt":
        block.prompt = line.string()
        block.prompt_if = line.condition()
    elif word == "default":
        value = line.expression()
        block.defaults.append(Conditional(value, line.condition()))
    elif word in {"select", "imply"}:
        target = line.next()[1]
        block.selections.append((target, line.condition(), word == "imply"))
    elif word == "range":
        low, high = line.expression(), line.expression()
        block.ranges.append(ValueRange(low, high, line.condition()))
    elif word == "optional":
        block.optional = True


def _definition(block: _Block) -> Definition:
    scope = block.scope
    depends = both(scope.depends, block.depends)
    selections = tuple(
        SelectClause(block.name, target, both(Ref(block.name), depends, condition), weak)
        for target, condition, weak in block.selections
    )
    return Definition(
        file=block.file,
        line=block.line,
        depends=depends,
        prompt=block.prompt,
        prompt_if=both(scope.visible, block.prompt_if),
        defaults=tuple(Conditional(d.value, both(depends, d.condition)) for d in block.defaults),
        ranges=tuple(ValueRange(r.low, r.high, both(depends, r.condition)) for r in block.ranges),
        selections=selections,
        help=block.help,
        menu=scope.menu,
        choice=scope.choice,
    )


def _help(lines: list[str], index: int) -> tuple[str, int]:
    """Return the help text from a line on, and the line after it: it ends at the first line indented less."""
    indent: int | None = None
    words: list[str] = []
    while index < len(lines):
        text = lines[index].expandtabs(8)
        stripped = text.strip()
        if stripped:
            depth = len(text) - len(text.lstrip())
            if indent is None:
                indent = depth
                if depth == 0:
                    break
            if depth < indent:
                break
        words.append(text[indent or 0 :].rstrip())
        index += 1
    return "\n".join(words).strip("\n"), index
