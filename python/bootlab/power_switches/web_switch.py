# SPDX-License-Identifier: MIT
"""Asks a switch over HTTP, and fails where its answer does not say what was wanted. Run as a program."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request

from bootlab.model.real_board import Command

_TIMEOUT_S = 10.0
_ANSWER_BYTES = 1 << 16


def asking(url: str, key: str = "", wanted: object = None) -> Command:
    """Return the command that fetches `url`; of a JSON object as answer, `key` must have the value `wanted`."""
    return (sys.executable, "-m", __name__, url, key, json.dumps(wanted))


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


if __name__ == "__main__":
    fault = ask(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
    if fault:
        sys.exit(fault)
