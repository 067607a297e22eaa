# SPDX-License-Identifier: MIT
"""The delays that a C function calls for: where they stand in its text and how long they are."""

from __future__ import annotations

import re

import msgspec

from bootlab.errors import UserError

BUSY = ("mdelay", "udelay", "ndelay")
UNIT_NS = {
    "ndelay": 1, "udelay": 1_000, "usleep_range": 1_000, "fsleep": 1_000, "mdelay": 1_000_000, "msleep": 1_000_000,
    "msleep_interruptible": 1_000_000, "ssleep": 1_000_000_000,
}  # fmt: skip
"""What the (first) argument counts (include/linux/delay.h, asm-generic/delay.h)."""
_DELAY = re.compile(rf"\b({'|'.join(UNIT_NS)})\s*\(")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_NO_CALLS = frozenset({"if", "for", "while", "switch", "return", "sizeof", "defined", "do", "else", "typeof"})
_OPAQUE = re.compile(
    r"/\*.*?(?:\*/|\Z)|//(?:[^\n\\]|\\\n|\\)*|\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*'", re.DOTALL
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\)*", re.MULTILINE)
_NUMBER = re.compile(r"\(*\s*(0[xX][0-9a-fA-F]+|[0-9]+)\s*[uUlL]{0,3}\s*\)*")


class DelayCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call. `start`, `end`: offsets into the file's text. `ns`: None where no plain number is waited for."""

    name: str
    argument: str
    line: int
    start: int
    end: int
    ns: int | None

    @property
    def busy(self) -> bool:
        """Tell whether the processor spins meanwhile."""
        return self.name in BUSY

    @property
    def written(self) -> str:
        """The call in one line."""
        return f"{self.name}({' '.join(self.argument.split())})"


class Body(msgspec.Struct, frozen=True, kw_only=True):
    """What a function calls: its delays in their order, and the names of the other functions."""

    delays: tuple[DelayCall, ...]
    others: tuple[str, ...]


def masked(text: str) -> str:
    """Return a text of the same length in which comments, strings and characters are blank. Line ends stay."""
    return _OPAQUE.sub(lambda found: _blank(found[0]), text)


def body_of(text: str, function: str, line: int) -> Body:
    """Read the body of the function whose name stands at or soon after a line (from 1).

    Raise UserError when there is no such body: a macro made the function, or it is only declared.
    """
    code = masked(text)
    begin, end = _braces(code, function, line)
    delays = []
    for found in _DELAY.finditer(code, begin, end):
        close = _closing(code, found.end() - 1, end)
        if close is None:
            continue
        argument = text[found.end() : close]
        delays.append(
            DelayCall(
                name=found[1],
                argument=argument.strip(),
                line=text.count("\n", 0, found.start()) + 1,
                start=found.start(),
                end=close + 1,
                ns=_ns(found[1], code[found.end() : close]),
            )
        )
    names = (found[1] for found in _CALL.finditer(code, begin, end))
    others = tuple(dict.fromkeys(n for n in names if n not in _NO_CALLS and n not in UNIT_NS))
    return Body(delays=tuple(delays), others=others)


def _braces(code: str, function: str, line: int) -> tuple[int, int]:
    """Return where a body begins and ends. Of each #if only the first branch counts: the braces of all do not pair."""
    plain = _first_branches(code)
    start = 0
    for _ in range(line - 1):
        start = plain.find("\n", start) + 1
        if not start:
            break
    for found in re.finditer(rf"\b{re.escape(function)}\s*\(", plain[start:]):
        close = _closing(plain, start + found.end() - 1, len(plain))
        if close is None:
            break
        head = re.compile(r"[^;{}=]*\{").match(plain, close + 1)
        if head is None:
            continue
        depth = 0
        for brace in re.finditer(r"[{}]", plain[head.end() - 1 :]):
            depth += 1 if brace[0] == "{" else -1
            if not depth:
                return head.end(), head.end() - 1 + brace.start()
    raise UserError(
        f"{function}() has no body at line {line}",
        hint="a macro makes it, or it is only declared: name the function that holds the delay",
    )


def _first_branches(code: str) -> str:
    """Blank directives, and what stands in `#else` and `#elif` branches."""
    parts: list[str] = []
    at = 0
    branches: list[bool] = []  # of each open #if: whether its first branch is left
    for found in _DIRECTIVE.finditer(code):
        between = code[at : found.start()]
        parts.append(_blank(between) if any(branches) else between)
        word = re.match(r"[ \t#]*(\w*)", found[0])
        name = word[1] if word else ""
        if name in {"if", "ifdef", "ifndef"}:
            branches.append(False)
        elif name in {"else", "elif"} and branches:
            branches[-1] = True
        elif name == "endif" and branches:
            branches.pop()
        parts.append(_blank(found[0]))
        at = found.end()
    parts.append(code[at:])
    return "".join(parts)


def _closing(code: str, opening: int, end: int) -> int | None:
    depth = 0
    for found in re.compile(r"[()]").finditer(code, opening, end):
        depth += 1 if found[0] == "(" else -1
        if not depth:
            return found.start()
    return None


def _ns(name: str, argument: str) -> int | None:
    number = _NUMBER.fullmatch(argument.partition(",")[0].strip() if name == "usleep_range" else argument.strip())
    if number is None:
        return None
    digits = number[1]
    base = 16 if digits[:2] in {"0x", "0X"} else 8 if digits.startswith("0") else 10
    try:
        return int(digits, base) * UNIT_NS[name]
    except ValueError:
        return None


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
