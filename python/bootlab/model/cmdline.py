"""The kernel command line as an ordered value.

Grammar: kernel `lib/cmdline.c:next_arg()` and `init/main.c`. Words are split at white space outside double quotes;
`key=value`; a bare `--` ends the kernel's part and what follows goes to init. Keys compare with `-` equal to `_`
(`kernel/params.c:parameqn()`).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from bootlab.errors import UserError


class Param(msgspec.Struct, frozen=True, order=True):
    """One word of the kernel's part. `value` is None for a bare flag, without the quotes otherwise."""

    key: str
    value: str | None = None

    def __str__(self) -> str:
        """Write the word as the kernel reads it; quotes only where white space needs them."""
        if self.value is None:
            return f'"{self.key}"' if any(c.isspace() for c in self.key) else self.key
        if any(c.isspace() for c in self.value):
            return f'{self.key}="{self.value}"'
        return f"{self.key}={self.value}"


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
                "the command line holds a NUL byte or a line break",
                hint="write it on one line; the kernel stops reading at a NUL",
            )
        words = _split(text)
        if "--" in words:
            cut = words.index("--")
            words, rest = words[:cut], words[cut + 1 :]
        else:
            rest = []
        return cls(params=tuple(_param(word) for word in words), init_args=tuple(w.replace('"', "") for w in rest))

    def __str__(self) -> str:
        """Write it back; `parse(str(x)) == x`."""
        words = [str(p) for p in self.params]
        if self.init_args:
            words += ["--", *(f'"{a}"' if any(c.isspace() for c in a) or not a else a for a in self.init_args)]
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


def _split(text: str) -> list[str]:
    words: list[str] = []
    word: list[str] = []
    quoted = False
    started = False
    for char in text:
        if char == '"':
            quoted = not quoted
            started = True
            word.append(char)
        elif char.isspace() and not quoted:
            if started:
                words.append("".join(word))
            word, started = [], False
        else:
            word.append(char)
            started = True
    if quoted:
        raise UserError(
            f"a quote is never closed in the command line, near {''.join(word)[:40]!r}",
            hint='close it: key="two words"',
        )
    if started:
        words.append("".join(word))
    return words


def _param(word: str) -> Param:
    # next_arg() strips one quote in front of the whole word or of the value, and the closing one.
    if word.startswith('"'):
        word = word[1:].removesuffix('"')
        key, eq, value = word.partition("=")
        return Param(key, value if eq else None)
    key, eq, value = word.partition("=")
    if not eq:
        return Param(key.replace('"', ""))
    if value.startswith('"'):
        value = value[1:].removesuffix('"')
    return Param(key, value)
