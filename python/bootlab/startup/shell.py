# SPDX-License-Identifier: MIT
"""Shell scripts by their syntax tree: which commands stand in them, and what they change in the shell they run in.

The grammar is tree-sitter's for bash, which holds all of POSIX and what BusyBox's ash adds. A script with anything in
it that the grammar does not know is not understood as a whole.
"""

from __future__ import annotations

import functools

import msgspec
import tree_sitter_bash
from tree_sitter import Language, Node, Parser

NODES_MAX = 200_000
SHELLS = frozenset({"sh", "ash", "dash", "bash", "hush"})
"""What the shells of root trees are called; hush is BusyBox's for machines without an MMU."""
_SPLIT_OFF = frozenset({"subshell", "command_substitution", "pipeline", "process_substitution"})
_LOOPS = frozenset({"for_statement", "while_statement", "c_style_for_statement"})
_COMMANDS = frozenset({"command", "test_command", "declaration_command", "unset_command"})
_PLAIN = frozenset({"word", "number"})


class ShellCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command as it stands in a script.

    `words`: its name and arguments, None where one is not literal. `raw`: the same as they are written. `start`, `end`:
    bytes from the script's begin; `name_end` ends the name. `apart`: it runs in a process of its own (subshell,
    pipeline, `$(…)`, `&`), so what it changes is lost. `loops`: how many loops of its own function are around it.
    `tested`: its status decides something (`||`, `if`, `!`), so `set -e` is off in it.
    """

    words: tuple[str | None, ...]
    raw: tuple[str, ...]
    start: int
    end: int
    name_end: int
    apart: bool
    function: str
    loops: int
    tested: bool
    redirected: bool

    @property
    def name(self) -> str:
        """Return the command's name, "" when it is not literal."""
        return (self.words[0] or "") if self.words else ""


class Loop(msgspec.Struct, frozen=True):
    """A `for` loop over words: its variable, the words as written, where its body stands and where the whole begins."""

    variable: str
    words: tuple[str, ...]
    start: int
    end: int
    whole_start: int


class CaseStatement(msgspec.Struct, frozen=True):
    """A `case` over one expression. Of each item: its patterns (None: not literal) and where its body stands."""

    subject: str
    items: tuple[tuple[tuple[str | None, ...], int, int], ...]
    start: int
    end: int
    function: str
    apart: bool


class ShellScript(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a script. `assigned`: variables set in the shell itself. `used`: those that it expands.

    `functions` maps a name to where its definition stands. `background`: places of `&` in the shell itself.
    """

    text: bytes
    commands: tuple[ShellCommand, ...]
    loops: tuple[Loop, ...]
    choices: tuple[CaseStatement, ...]
    assigned: frozenset[str]
    used: frozenset[str]
    functions: dict[str, tuple[int, int]]
    background: tuple[int, ...]

    @property
    def interpreter(self) -> tuple[str, ...]:
        """Return the words of the `#!` line; empty without one."""
        line = self.text.split(b"\n", 1)[0]
        return tuple(line[2:].decode("utf-8", "replace").split()) if line.startswith(b"#!") else ()

    def cut(self, start: int, end: int) -> str:
        """Return a part of the text."""
        return self.text[start:end].decode("utf-8", "replace")


@functools.cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


@functools.lru_cache(maxsize=512)
def read(text: str) -> ShellScript | None:
    """Return what stands in a script; None when it is not understood as a whole."""
    data = text.encode()
    tree = _parser().parse(data)
    if tree.root_node.has_error or tree.root_node.descendant_count > NODES_MAX:
        return None
    reading = _Reading(data)
    reading.walk(tree.root_node)
    return reading.script()


class _Place(msgspec.Struct, frozen=True):
    apart: bool = False
    function: str = ""
    loops: int = 0
    tested: bool = False
    redirected: bool = False


class _Reading:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._commands: list[ShellCommand] = []
        self._loops: list[Loop] = []
        self._choices: list[CaseStatement] = []
        self._assigned: set[str] = set()
        self._used: set[str] = set()
        self._functions: dict[str, tuple[int, int]] = {}
        self._background: list[int] = []

    def walk(self, root: Node) -> None:
        todo = [(root, _Place())]
        while todo:
            node, place = todo.pop()
            self._take(node, place)
            todo += [(child, self._below(node, child, place)) for child in reversed(node.children)]

    def script(self) -> ShellScript:
        return ShellScript(
            text=self._data,
            commands=tuple(sorted(self._commands, key=lambda c: c.start)),
            loops=tuple(self._loops),
            choices=tuple(self._choices),
            assigned=frozenset(self._assigned),
            used=frozenset(self._used),
            functions=self._functions,
            background=tuple(self._background),
        )

    def _below(self, node: Node, child: Node, place: _Place) -> _Place:
        kind = node.type
        if kind in _SPLIT_OFF or _is_background(child):
            place = msgspec.structs.replace(place, apart=True)
        if kind == "function_definition":
            place = msgspec.structs.replace(place, function=self._name_of_function(node), loops=0)
        if kind in _LOOPS:
            place = msgspec.structs.replace(place, loops=place.loops + 1)
        if kind in {"list", "negated_command"} or (kind in {"if_statement", "elif_clause", "while_statement"}):
            place = msgspec.structs.replace(place, tested=True)
        if kind == "redirected_statement":
            place = msgspec.structs.replace(place, redirected=True)
        return place

    def _take(self, node: Node, place: _Place) -> None:
        kind = node.type
        if kind in _COMMANDS:
            self._command(node, place)
        elif kind == "variable_assignment" and not place.apart and (name := node.child_by_field_name("name")):
            # In front of a command's name it holds for that command only, but ash lets it live on for special builtins.
            self._assigned.add(self._text(name).partition("[")[0])
        elif kind == "for_statement" and (variable := node.child_by_field_name("variable")):
            if not place.apart:
                self._assigned.add(self._text(variable))
            self._loop(node, variable)
        elif kind in {"simple_expansion", "expansion"}:
            self._expansion(node)
        elif kind == "function_definition":
            self._functions[self._name_of_function(node)] = (node.start_byte, node.end_byte)
        elif kind == "case_statement":
            self._choice(node, place)
        elif kind == "&" and not place.apart and node.parent is not None and not node.parent.type.endswith("redirect"):
            self._background.append(node.start_byte)

    def _command(self, node: Node, place: _Place) -> None:
        parts = [c for c in node.children if c.type not in {"variable_assignment", "comment"} or node.type != "command"]
        parts = [c for c in parts if not c.type.endswith("_redirect")]
        if not parts:
            return
        words = tuple(self._literal(part) for part in parts)
        if not place.apart and words[0] in {"read", "export", "local", "getopts", "readonly"}:
            self._assigned.update(w.partition("=")[0] for w in words[1:] if w and w.partition("=")[0].isidentifier())
        self._commands.append(
            ShellCommand(
                words=words,
                raw=tuple(self._text(part) for part in parts),
                start=parts[0].start_byte,
                end=node.end_byte,
                name_end=parts[0].end_byte,
                apart=place.apart,
                function=place.function,
                loops=place.loops,
                tested=place.tested,
                redirected=place.redirected,
            )
        )

    def _loop(self, node: Node, variable: Node) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            return
        words = tuple(
            self._text(child)
            for child in node.children
            if child.start_byte >= variable.end_byte
            and child.end_byte <= body.start_byte
            and child.type not in {"in", ";"}
        )
        self._loops.append(Loop(self._text(variable), words, body.start_byte, body.end_byte, node.start_byte))

    def _choice(self, node: Node, place: _Place) -> None:
        subject = node.child_by_field_name("value")
        items = []
        for item in node.children:
            if item.type != "case_item":
                continue
            closing = next((c for c in item.children if c.type == ")"), None)
            if closing is None:
                return
            ends = [c for c in item.children if c.type in {";;", ";&", ";;&"}]
            if ends and ends[0].type != ";;":
                return
            patterns = tuple(
                self._literal(c, globs=True)
                for c in item.children
                if c.end_byte <= closing.start_byte and c.type not in {"|", "("}
            )
            items.append((patterns, closing.end_byte, ends[0].start_byte if ends else item.end_byte))
        if subject is not None:
            self._choices.append(
                CaseStatement(
                    self._text(subject).strip('"'),
                    tuple(items),
                    node.start_byte,
                    node.end_byte,
                    place.function,
                    place.apart,
                )
            )

    def _expansion(self, node: Node) -> None:
        for child in node.children:
            if child.type in {"variable_name", "special_variable_name"}:
                self._used.add(self._text(child))

    def _name_of_function(self, node: Node) -> str:
        name = node.child_by_field_name("name")
        return self._text(name) if name is not None else ""

    def _literal(self, node: Node, *, globs: bool = False) -> str | None:
        """Return what a word is when nothing in it is expanded, else None."""
        if node.type == "command_name" and node.child_count == 1:
            return self._literal(node.children[0])
        text = self._text(node)
        if node.type in _PLAIN or (globs and node.type == "extglob_pattern") or not node.is_named:
            special = set('\\"') if globs else set('*?\\"')
            return None if special & set(text) else text
        if node.type == "raw_string":
            return text[1:-1]
        if node.type == "string" and all(c.type in {'"', "string_content"} for c in node.children):
            inner = text[1:-1]
            return None if "\\" in inner else inner
        return None

    def _text(self, node: Node) -> str:
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _is_background(node: Node) -> bool:
    following = node.next_sibling
    return following is not None and following.type == "&" and not node.type.endswith("redirect")
