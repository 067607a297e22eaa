# SPDX-License-Identifier: MIT
"""Scripts of boot loaders as commands: words with quotes and variables kept, blocks in braces.

GRUB's (the manual's "Writing your own configuration file", grub-core/script) and U-Boot's hush (common/cli_hush.c) have
these in common.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)|(?P<end>[;\n]|&&|\|\|)|(?P<blank>[ \t\r]+)|(?P<brace>[{}])"""
    r"""|(?P<word>(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|\$\{[^}\n]*\}|[^\s;'"\\{}])+)|(?P<other>.)""",
    re.DOTALL,
)
_PIECE = re.compile(
    r"""\\(?P<escaped>.)|'(?P<plain>[^']*)'|"(?P<quoted>(?:\\.|[^"\\])*)"|(?P<bare>[^\\'"]+)""", re.DOTALL
)
_VARIABLE = re.compile(r"\$\{(\w+|[?#@*])\}|\$(\w+|[?#@*])")
_TOKENS_MAX = 200_000
_TEXT_MAX_CHARS = 100_000


class MenuCommand(msgspec.Struct, frozen=True):
    """A command: its words as they are written, and the block behind them (`menuentry`, `submenu`, `function`)."""

    words: tuple[str, ...]
    block: tuple[MenuCommand, ...] | None = None


def commands_of(text: str) -> tuple[MenuCommand, ...]:
    """Return the commands of a script in their order; `if`, `for` and their ends are commands too."""
    tokens = _tokens(text)
    return _block(tokens, [0], depth=0)


def _tokens(text: str) -> list[tuple[str, str]]:
    text = text.replace("\\\r\n", " ").replace("\\\n", " ")
    found: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind in {"end", "brace", "word", "other"}:
            found.append((kind, match[0]))
        if len(found) >= _TOKENS_MAX:
            break
    return found


def _block(tokens: list[tuple[str, str]], at: list[int], depth: int) -> tuple[MenuCommand, ...]:
    found: list[MenuCommand] = []
    words: list[str] = []

    def close(block: tuple[MenuCommand, ...] | None = None) -> None:
        if words or block is not None:
            found.append(MenuCommand(tuple(words), block))
        words.clear()

    while at[0] < len(tokens):
        kind, text = tokens[at[0]]
        at[0] += 1
        if kind == "end":
            close()
            if text in {"&&", "||"}:
                found.append(MenuCommand((text,)))
        elif kind == "brace" and text == "{":
            close(_block(tokens, at, depth + 1) if depth < 20 else ())
        elif kind == "brace":
            close()
            if depth:
                return tuple(found)
        elif text in {"then", "else", "do"} and not words:
            found.append(MenuCommand((text,)))
        else:
            words.append(text)
    close()
    return tuple(found)


def expanded(word: str, variables: Mapping[str, str]) -> list[str]:
    """Return what a word becomes: variables outside of quotes may become several words, or none."""
    parts: list[str] = [""]
    real = False
    for piece in _PIECE.finditer(word):
        if piece["bare"] is not None:
            text = filled(piece["bare"], variables)
            pieces = text.split() if "$" in piece["bare"] else [text]
            if text[:1].isspace() and parts[-1]:
                parts.append("")
            for number, part in enumerate(pieces):
                parts[-1:] = [parts[-1] + part] if number == 0 else [parts[-1], part]
            continue
        real = True
        if piece["quoted"] is not None:
            text = filled(re.sub(r"\\([\"\\$])", r"\1", piece["quoted"]), variables)
        else:
            text = piece["plain"] if piece["plain"] is not None else piece["escaped"]
        parts[-1] += text or ""
    kept = [part[:_TEXT_MAX_CHARS] for part in parts if part]
    return kept or ([""] if real else [])


def filled(text: str, variables: Mapping[str, str]) -> str:
    """Return a text with its variables filled in; one that is not set is nothing."""
    return _VARIABLE.sub(lambda found: variables.get(found[1] or found[2], ""), text)


def named_in(text: str) -> tuple[str, ...]:
    """Return the names of the variables in a text."""
    return tuple(found[1] or found[2] for found in _VARIABLE.finditer(text))
