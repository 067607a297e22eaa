# SPDX-License-Identifier: MIT
"""The words that a user adds to the emulator's command (`machine.extra`): what they change of the machine.

They come last, so an option among them wins over bootlab's own.
"""

from __future__ import annotations

import itertools

from bootlab.model.launch import Launch

_COUNTED = ("sockets", "dies", "clusters", "cores", "threads")


def grouped(extra: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the words by option: each word with a dash begins one."""
    found: list[tuple[str, ...]] = []
    for word in extra:
        if word.startswith("-") or not found:
            found.append((word,))
        else:
            found[-1] = (*found[-1], word)
    return tuple(found)


def valued(extra: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the options that have a value, with one dash (QEMU takes two as well)."""
    pairs = itertools.pairwise(extra)
    return tuple((word.replace("--", "-", 1) if word.startswith("--") else word, value) for word, value in pairs)


def last(extra: tuple[str, ...], option: str) -> str | None:
    """Return the value of an option that stands there last; None where it is not given."""
    return next((value for word, value in reversed(valued(extra)) if word == option), None)


def processors(launch: Launch) -> int:
    """Return how many processors the machine starts with."""
    return processors_of(launch.processors, launch.extra)


def processors_of(usual: int, extra: tuple[str, ...]) -> int:
    """Return how many processors a machine of `usual` ones starts with when it is given these words."""
    text = last(extra, "-smp")
    if text is None:
        return usual
    fields = dict(part.partition("=")[::2] for part in text.split(",") if "=" in part)
    count = fields.get("cpus", text.partition(",")[0] if "=" not in text.partition(",")[0] else "")
    if count.isdigit():
        return int(count)
    product = 1
    for name in _COUNTED:
        product *= int(fields[name]) if fields.get(name, "").isdigit() else 1
    return product


def cpu(launch: Launch) -> str:
    """Return the processor's model with its flags, as `-cpu` takes it."""
    return last(launch.extra, "-cpu") or launch.cpu


def own_clock(launch: Launch) -> bool:
    """Tell whether the real-time clock is the machine's own: it starts at a given time and follows virtual time."""
    text = last(launch.extra, "-rtc")
    if text is None:
        return launch.clock is not None
    return "clock=vm" in text and "base=" in text
