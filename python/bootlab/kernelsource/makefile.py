# SPDX-License-Identifier: MIT
"""Reads one Makefile without running make: every value with the condition under which it holds.

Conditions are over CONFIG_ symbols. What make would ask the shell, the compiler or another Makefile for is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from bootlab.kernelsource.expression import (
    FALSE,
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
from bootlab.kernelsource.macros import closing, split_commas

UNKNOWN = "\x01"
"""Stands in a text for what is unknown."""

_ALTERNATIVES = 24
_DEPTH = 24
_LINES = 200_000
_CONFIG = re.compile(r"\$\(CONFIG_(\w+)\)")
_ASSIGNMENT = re.compile(r"^((?:[^\s:=#$]|\$\([^()]*(?:\([^()]*\)[^()]*)*\))+)\s*(\+=|:{1,3}=|\?=|=)\s*(.*)$")


class Alternative(NamedTuple):
    """A text, and when it is the value."""

    condition: Expression
    text: str


class Piece(NamedTuple):
    """A word of a list such as obj-y, when it is there, and the line that says so."""

    condition: Expression
    word: str
    line: int


class Makefile:
    """Lists and variables of one Makefile. `lists["obj"]` holds obj-y, obj-m, obj-$(CONFIG_...) together."""

    def __init__(self, text: str, variables: dict[str, str]) -> None:
        """Read a Makefile. `variables`: what make exports to it."""
        self.variables: dict[str, list[Alternative]] = {
            name: [Alternative(TRUE, value)] for name, value in variables.items()
        }
        self.lists: dict[str, list[Piece]] = {}
        self.exported: set[str] = set()
        self._conditions: list[tuple[Expression, Expression]] = []
        self.read(text)

    def read(self, text: str) -> None:
        """Read on: lines that come after those read so far."""
        lines = text.split("\n")[:_LINES]
        index = 0
        while index < len(lines):
            number = index + 1
            line = lines[index]
            index += 1
            while line.endswith("\\") and index < len(lines):
                line = line[:-1] + " " + lines[index].strip()
                index += 1
            if not line.startswith("\t") or self._continues(line):
                self._line(line.split(" #")[0].strip() if "#" in line else line.strip(), number)

    def _continues(self, line: str) -> bool:
        """Kernel Makefiles indent conditionals and lists with tabs now and then; recipes look otherwise."""
        return (
            re.match(r"\t+\s*(if(n?eq|n?def)\b|else\b|endif\b|[\w-]+-(y|m|objs|\$\(CONFIG_\w+\))\s*[:+]?=)", line)
            is not None
        )

    def _line(self, line: str, number: int) -> None:
        if not line or line[0] == "#":
            return
        word, _, rest = line.partition(" ")
        if word.startswith(("ifeq", "ifneq", "ifdef", "ifndef")):
            held = self._condition(line)
            self._conditions.append((held, held))
        elif word == "else":
            if self._conditions:
                _, taken = self._conditions.pop()
                rest = rest.strip()
                held = self._condition(rest) if rest.startswith("if") else TRUE
                self._conditions.append((both(negated(taken), held), either(taken, held)))
        elif word == "endif":
            if self._conditions:
                self._conditions.pop()
        else:
            if word == "export":
                self.exported |= set(re.split(r"[:+?]?=", rest, maxsplit=1)[0].split())
            match = _ASSIGNMENT.match(line.removeprefix("export ").removeprefix("override "))
            if match:
                self._assign(match[1], match[2], match[3].strip(), number)

    @property
    def _now(self) -> Expression:
        return both(*(held for held, _ in self._conditions))

    def _assign(self, name: str, operator: str, text: str, number: int) -> None:
        now = self._now
        values = [a for a in self.expand(text) if both(now, a.condition) != FALSE]
        for condition, plain in self._names(name):
            base, dash, ending = plain.rpartition("-")
            if UNKNOWN in plain:
                continue
            if dash and ending in {"y", "m", "objs"}:
                gate = both(now, condition, Constant("m") if plain == name and ending == "m" else TRUE)
                if operator not in {"+=", "?="} and ending != "m":
                    old = self.lists.get(base, [])
                    gone = now if plain == name else both(now, _is_yes(condition))
                    self.lists[base] = [
                        p
                        for p in (Piece(both(p.condition, negated(gone)), p.word, p.line) for p in old)
                        if p.condition != FALSE
                    ]
                pieces = self.lists.setdefault(base, [])
                for value in values:
                    pieces += [
                        Piece(both(gate, value.condition), word, number)
                        for word in value.text.split()
                        if UNKNOWN not in word
                    ]
            self._set(plain, operator, now if condition == TRUE else both(now, condition), values)

    def _set(self, name: str, operator: str, now: Expression, values: list[Alternative]) -> None:
        old = self.variables.get(name, [])
        fresh = [Alternative(both(now, a.condition), a.text) for a in values]
        if operator == "?=" and old:
            return
        if operator == "+=" and old:
            joined = [Alternative(both(o.condition, f.condition), f"{o.text} {f.text}") for o in old for f in fresh]
            kept = [] if now == TRUE else [Alternative(both(o.condition, negated(now)), o.text) for o in old]
        else:
            joined = fresh
            base = old or [Alternative(TRUE, "")]
            kept = [] if now == TRUE else [Alternative(both(o.condition, negated(now)), o.text) for o in base]
        self.variables[name] = _few([a for a in (*joined, *kept) if a.condition != FALSE])

    def _names(self, name: str) -> list[Alternative]:
        """Return what the left side may be: `obj-$(CONFIG_X)` is obj-y as far as X goes."""
        found = _CONFIG.search(name)
        if found and found.end() == len(name) and "$" not in name[: found.start()]:
            return [Alternative(Ref(found[1]), name[: found.start()] + "y")]
        if "$" not in name:
            return [Alternative(TRUE, name)]
        out = []
        for condition, text in self.expand(name):
            if text.endswith("-m"):
                out.append(Alternative(both(condition, Constant("m")), text))
            elif text and not text.endswith("-"):
                out.append(Alternative(condition, text))
        return out

    def _condition(self, line: str) -> Expression:
        word, _, rest = re.sub(r"^(ifn?eq)\(", r"\1 (", line).partition(" ")
        rest = rest.strip()
        if word in {"ifdef", "ifndef"}:
            held = self._defined(rest)
        else:
            sides = _sides(rest)
            if sides is None:
                return Unknown(line)
            held = self._equal(*sides, line)
        return negated(held) if word in {"ifneq", "ifndef"} else held

    def _defined(self, name: str) -> Expression:
        if name.startswith("CONFIG_"):
            return Compare(Ref(name[7:]), "!=", Constant("n"))
        if name in self.variables:
            return either(*(a.condition for a in self.variables[name] if a.text))
        return Unknown(f"ifdef {name}")

    def _equal(self, left: str, right: str, line: str) -> Expression:
        for one, other in ((left, right), (right, left)):
            match = _CONFIG.fullmatch(one.strip())
            if match and "$" not in other:
                wanted = other.strip().strip('"')
                return Compare(Ref(match[1]), "=", Constant(wanted or "n"))
        found: list[Expression] = []
        for a in self.expand(left):
            for b in self.expand(right):
                if UNKNOWN in a.text + b.text:
                    found.append(both(a.condition, b.condition, Unknown(line)))
                elif a.text.strip() == b.text.strip():
                    found.append(both(a.condition, b.condition))
        return either(*found)

    def expand(self, text: str, depth: int = 0) -> list[Alternative]:
        """Return what a text may be, and when."""
        out = [Alternative(TRUE, "")]
        at = text.find("$")
        start = 0
        while at >= 0:
            out = _appended(out, text[start:at])
            if text[at + 1 : at + 2] == "(":
                end = closing(text, at + 1)
                out = _product(out, self._reference(text[at + 2 : end], depth + 1))
                start = end + 1
            else:
                out = _appended(out, "$" if text[at + 1 : at + 2] == "$" else UNKNOWN)
                start = at + 2
            at = text.find("$", start)
        return _few(_appended(out, text[start:]))

    def _reference(self, inside: str, depth: int) -> list[Alternative]:  # noqa: PLR0911 - one a form
        if depth > _DEPTH:
            return [Alternative(TRUE, UNKNOWN)]
        name, blank, rest = inside.partition(" ")
        if blank:
            return self._function(name, rest.lstrip(), depth)
        if inside.startswith("CONFIG_"):
            symbol, colon, change = inside[7:].partition(":")
            if colon and change == "m=y":
                return [
                    Alternative(Compare(Ref(symbol), "!=", Constant("n")), "y"),
                    Alternative(Compare(Ref(symbol), "=", Constant("n")), ""),
                ]
            values = (("y", "y"), ("m", "m"), ("n", ""))
            return [Alternative(Compare(Ref(symbol), "=", Constant(value)), text) for value, text in values]
        name, colon, change = inside.partition(":")
        if colon and "=" in change:
            pattern, _, replacement = change.partition("=")
            words = self._reference(name, depth + 1)
            if "%" not in pattern:
                pattern, replacement = f"%{pattern}", f"%{replacement}"
            return _mapped(words, lambda text: _patsubst(pattern, replacement, text))
        if "$" in inside:
            return [
                Alternative(both(a.condition, b.condition), b.text)
                for a in self.expand(inside, depth + 1)
                for b in ([Alternative(TRUE, UNKNOWN)] if UNKNOWN in a.text else self._reference(a.text, depth + 1))
            ]
        return self.variables.get(inside, [Alternative(TRUE, UNKNOWN)])

    def _function(self, name: str, rest: str, depth: int) -> list[Alternative]:
        arguments = [self.expand(word.strip() if i == 0 else word, depth) for i, word in enumerate(split_commas(rest))]
        if name in {"if", "or", "and"}:
            return _logic(name, arguments)
        work = _FUNCTIONS.get((name, len(arguments)))
        if work is None:
            return [Alternative(TRUE, UNKNOWN)]
        rows: list[tuple[Expression, tuple[str, ...]]] = [(TRUE, ())]
        for choices in arguments:
            rows = [(both(c, a.condition), (*texts, a.text)) for c, texts in rows for a in choices]
            rows = [row for row in rows if row[0] != FALSE][: _ALTERNATIVES + 1]
        return _few(
            [Alternative(c, UNKNOWN if any(UNKNOWN in t for t in texts[:-1]) else work(*texts)) for c, texts in rows]
        )


def _is_yes(condition: Expression) -> Expression:
    """`foo-$(CONFIG_X) := ...` replaces foo-y only while X is y."""
    return Compare(condition, "=", Constant("y")) if isinstance(condition, Ref) else condition


def _logic(name: str, arguments: list[list[Alternative]]) -> list[Alternative]:
    def true(values: list[Alternative]) -> Expression:
        return either(
            *(
                both(a.condition, Unknown(a.text.replace(UNKNOWN, "?"))) if UNKNOWN in a.text else a.condition
                for a in values
                if a.text.strip()
            )
        )

    if name == "if":
        test = true(arguments[0])
        other = arguments[2] if len(arguments) > 2 else [Alternative(TRUE, "")]
        first = arguments[1] if len(arguments) > 1 else []
        out = [Alternative(both(test, a.condition), a.text) for a in first]
        out += [Alternative(both(negated(test), a.condition), a.text) for a in other]
        return _few([a for a in out if a.condition != FALSE])
    tests = [true(values) for values in arguments]
    test = either(*tests) if name == "or" else both(*tests)
    return [a for a in (Alternative(test, "y"), Alternative(negated(test), "")) if a.condition != FALSE]


def _few(values: list[Alternative]) -> list[Alternative]:
    return values if len(values) <= _ALTERNATIVES else [Alternative(TRUE, UNKNOWN)]


def _appended(values: list[Alternative], text: str) -> list[Alternative]:
    return [Alternative(a.condition, a.text + text) for a in values] if text else values


def _product(left: list[Alternative], right: list[Alternative]) -> list[Alternative]:
    out = [Alternative(both(a.condition, b.condition), a.text + b.text) for a in left for b in right]
    return _few([a for a in out if a.condition != FALSE])


def _mapped(values: list[Alternative], work: Callable[[str], str]) -> list[Alternative]:
    return [Alternative(a.condition, work(a.text)) for a in values]


def _sides(text: str) -> tuple[str, str] | None:
    if text.startswith("("):
        words = split_commas(text[1 : closing(text, 0)])
        return (words[0], words[1]) if len(words) == 2 else None
    match = re.match(r"""(["'])(.*?)\1\s+(["'])(.*?)\3""", text)
    return (match[2], match[4]) if match else None


def _pattern(pattern: str) -> re.Pattern[str]:
    before, percent, after = pattern.partition("%")
    return re.compile(re.escape(before) + ("(.*)" if percent else "()") + re.escape(after) + r"\Z")


def _patsubst(pattern: str, replacement: str, text: str) -> str:
    wanted = _pattern(pattern)
    out = []
    for word in text.split():
        match = wanted.match(word)
        out.append(replacement.replace("%", match[1], 1) if match else word)
    return " ".join(out)


def _filtered(patterns: str, text: str, keep: bool) -> str:
    wanted = [_pattern(p) for p in patterns.split()]
    return " ".join(w for w in text.split() if any(p.match(w) for p in wanted) == keep)


_FUNCTIONS: dict[tuple[str, int], Callable[..., str]] = {
    ("subst", 3): lambda old, new, text: text.replace(old, new) if old else text,
    ("patsubst", 3): lambda pattern, new, text: _patsubst(pattern.strip(), new.strip(), text),
    ("filter", 2): lambda patterns, text: _filtered(patterns, text, True),
    ("filter-out", 2): lambda patterns, text: _filtered(patterns, text, False),
    ("addprefix", 2): lambda prefix, text: " ".join(prefix + w for w in text.split()),
    ("addsuffix", 2): lambda suffix, text: " ".join(w + suffix for w in text.split()),
    ("findstring", 2): lambda part, text: part if part in text else "",
    ("strip", 1): lambda text: " ".join(text.split()),
    ("sort", 1): lambda text: " ".join(sorted(set(text.split()))),
    ("firstword", 1): lambda text: " ".join(text.split()[:1]),
    ("lastword", 1): lambda text: " ".join(text.split()[-1:]),
    ("basename", 1): lambda text: " ".join(w.rpartition(".")[0] or w for w in text.split()),
    ("notdir", 1): lambda text: " ".join(w.rpartition("/")[2] for w in text.split()),
}
