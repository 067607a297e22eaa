# SPDX-License-Identifier: MIT
"""A document posted to an address that somebody gave: a chat server, a program of the team."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from urllib.parse import urlsplit

_LIMIT_S = 10


def post(address: str, document: Mapping[str, object]) -> str:
    """Post a document as JSON; say what became of it. Raises nothing: who is told is never what decides.

    Only the host is named in what is said: the rest of such an address is a secret.
    """
    try:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            return "no webhook was told: its address begins with http:// or https://"
        head = {"Content-Type": "application/json"}
        request = urllib.request.Request(address, json.dumps(document).encode(), head)  # noqa: S310 - checked above
        with urllib.request.urlopen(request, timeout=_LIMIT_S) as answer:  # noqa: S310
            return f"told {parts.hostname} ({answer.status})"
    except urllib.error.HTTPError as refusal:
        # It is an open answer; Python 3.14 warns of one that nobody closes.
        refusal.close()
        return f"the webhook was not told: {parts.hostname} answered {refusal.code}"
    except (OSError, ValueError, http.client.HTTPException) as fault:
        return f"the webhook was not told: {type(fault).__name__}"
