# SPDX-License-Identifier: MIT
"""Asks a switch over HTTP, and fails where its answer does not say what was wanted. Run as a program.

What the device did it did between the question and the answer: that is what is reported of when it switched.
"""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request

from bootlab.model.real_board import Command

_TIMEOUT_S = 10.0
_ANSWER_BYTES = 1 << 16


def asking(url: str, key: str = "", wanted: object = None, *, answers_first: bool = False) -> Command:
    """Return the command that fetches `url`; of a JSON object as answer, `key` must have the value `wanted`.

    `answers_first`: the switch answers before it switches, so that nothing is known of when it does.
    """
    return (sys.executable, "-m", __name__, url, key, json.dumps(wanted), *(["answers-first"] if answers_first else []))


def ask(url: str, key: str, wanted: object) -> str:
    """Fetch `url` and return what is wrong with the answer, in words; nothing if it is as it should be."""
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - the user's own switch
            text = answer.read(_ANSWER_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError) as error:
        return f"{url}: {error}"
    if not key:
        return ""
    try:
        document = json.loads(text)
    except ValueError:
        return f"{url}: the answer is no JSON: {text[:80]!r}"
    if not isinstance(document, dict) or key not in document:
        return f"{url}: the answer has no {key!r}: {text[:80]!r}"
    if document[key] != wanted:
        return f"{url}: the switch says {key} = {document[key]!r} instead of {wanted!r}"
    return ""


def report(asked_ns: int, answered_ns: int) -> str:
    """Say that the switch switched between two instants, nanoseconds since 1970, as `zero = "reported"` reads it."""
    middle_ns, half_ns = (asked_ns + answered_ns) // 2, (answered_ns - asked_ns + 1) // 2
    return f"switched at {_seconds(middle_ns)} within {_seconds(half_ns)}"


def _seconds(ns: int) -> str:
    return f"{ns // 10**9}.{ns % 10**9:09}"


if __name__ == "__main__":
    asked = time.time_ns()
    fault = ask(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
    answered = time.time_ns()
    if fault:
        sys.exit(fault)
    if "answers-first" not in sys.argv[4:]:
        sys.stdout.write(f"{report(asked, answered)}\n")
