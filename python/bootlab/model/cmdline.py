# SPDX-License-Identifier: MIT
"""The kernel command line as an ordered value.

Grammar: kernel `lib/cmdline.c:next_arg()` and `init/main.c`. Words are split at white space outside double quotes;
`key=value`; a bare `--` ends the kernel's part and what follows goes to init. Keys compare with `-` equal to `_`
(`kernel/params.c:parameqn()`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from bootlab.errors import UserError


class Param(msgspec.Struct, frozen=True, order=True):
    """One word of the kernel's part. `value` is None for a bare flag, without the quotes otherwise."""

    key: str
    value: str | None = None

    def __str__(self) -> str:
        """Write the word so that the kernel reads these very values; quotes only where it needs them."""
        return _written(self)


def same_key(left: str, right: str) -> bool:
    """Tell whether the kernel takes two keys for the same parameter."""
    return left.replace("-", "_") == right.replace("-", "_")


class CommandLine(msgspec.Struct, frozen=True):
    """An immutable command line: kernel parameters in order (duplicates kept) and init's arguments."""

    params: tuple[Param, ...] = ()
    init_args: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> CommandLine:
        """Read a command line. Raise UserError on a quote that is never closed or a NUL byte."""
        if "\0" in text or "\n" in text:
            raise UserError(
                "the command line contains a NUL byte or a line break",
                hint="write it on one line; the kernel stops reading at a NUL",
            )
        params = [_param(word) for word in _split(text)]
        end = Param("--")
        cut = params.index(end) if end in params else len(params)
        return cls(params=tuple(params[:cut]), init_args=tuple(_joined(p) for p in params[cut + 1 :]))

    def __str__(self) -> str:
        """Write it back; `parse(str(x)) == x`."""
        words = [str(p) for p in self.params]
        if self.init_args:
            words += ["--", *(str(_as_param(a)) for a in self.init_args)]
        return " ".join(words)

    def all(self, key: str) -> tuple[Param, ...]:
        """Every occurrence of a key, in order."""
        return tuple(p for p in self.params if same_key(p.key, key))

    def get(self, key: str) -> Param | None:
        """Return the last occurrence, which is the one that counts for most parameters."""
        found = self.all(key)
        return found[-1] if found else None

    def has(self, key: str, value: str | None = None) -> bool:
        """Tell whether a key is there (with that value, when one is given)."""
        return any(value is None or p.value == value for p in self.all(key))

    def value(self, key: str) -> str | None:
        """Return the value of the last occurrence, None when absent or bare."""
        found = self.get(key)
        return found.value if found else None

    @property
    def console_baud(self) -> int | None:
        """The rate that the last `console=` with one names, bits a second; None: none does."""
        rates = (re.search(r",(\d{3,7})", param.value or "") for param in reversed(self.all("console")))
        return next((int(rate[1]) for rate in rates if rate is not None), None)

    def with_param(self, key: str, value: str | None = None) -> CommandLine:
        """Set a parameter: the first occurrence is replaced in its place, further ones go, or it is appended."""
        new = Param(key, value)
        out: list[Param] = []
        done = False
        for p in self.params:
            if not same_key(p.key, key):
                out.append(p)
            elif not done:
                out.append(new)
                done = True
        if not done:
            out.append(new)
        return msgspec.structs.replace(self, params=tuple(out))

    def with_added(self, params: Iterable[Param]) -> CommandLine:
        """Append parameters as they are (for those that may repeat, such as `console=`)."""
        return msgspec.structs.replace(self, params=self.params + tuple(params))

    def without(self, key: str, value: str | None = None) -> CommandLine:
        """Drop every occurrence of a key (only those with that value, when one is given)."""
        keep = tuple(p for p in self.params if not (same_key(p.key, key) and (value is None or p.value == value)))
        return msgspec.structs.replace(self, params=keep)


# include/linux/ctype.h: isspace() in the C locale; wider spaces of Unicode are letters to the kernel.
_SPACES = " \t\v\f\r"


def _split(text: str) -> list[str]:
    words: list[str] = []
    word: list[str] = []
    quoted = False
    for char in text:
        if char in _SPACES and not quoted:
            if word:
                words.append("".join(word))
            word = []
        else:
            quoted = quoted != (char == '"')
            word.append(char)
    if quoted:
        raise UserError(
            f"a quote is never closed in the command line, near {''.join(word)[:40]!r}",
            hint='close it: key="two words"',
        )
    if word:
        words.append("".join(word))
    return words


def _param(word: str) -> Param:
    # next_arg(): one quote goes from the front of the word, one from the front of the value, one from the end; an
    # equals sign that stands first belongs to the key.
    lead = word.startswith('"')
    body = word[1:] if lead else word
    cut = body.find("=", 1)
    if cut < 0:
        return Param(body.removesuffix('"') if lead else body)
    key, value = body[:cut], body[cut + 1 :]
    inner = value.startswith('"')
    value = value[1:] if inner else value
    return Param(key, value.removesuffix('"') if lead or inner else value)


def _written(param: Param) -> str:
    for front in ("", '"'):
        for inner in ("", '"') if param.value is not None else ("",):
            for end in ("", '"'):
                word = front + (param.key if param.value is None else f"{param.key}={inner}{param.value}") + end
                if _reads_as(word, param):
                    return word
    text = param.key if param.value is None else f"{param.key}={param.value}"
    raise UserError(
        f"{text[:80]!r} cannot be written on a kernel command line", hint="leave out its quotes, or its spaces"
    )


def _reads_as(word: str, param: Param) -> bool:
    try:
        return _split(word) == [word] and _param(word) == param
    except UserError:
        return False


def _joined(param: Param) -> str:
    # init/main.c:repair_env_string()
    return param.key if param.value is None else f"{param.key}={param.value}"


def _as_param(argument: str) -> Param:
    cut = argument.find("=", 1)
    return Param(argument) if cut < 0 else Param(argument[:cut], argument[cut + 1 :])
