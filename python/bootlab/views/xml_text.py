# SPDX-License-Identifier: MIT
"""Any text as XML may hold it."""

from __future__ import annotations

import re

from bootlab.views.shown_text import one_line

# What XML 1.0 has no way to write, even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST = 500


def xml_text(text: str) -> str:
    """Return text on one line, cut, with a `?` for what XML cannot hold."""
    return _NO_XML.sub("?", one_line(text, _MOST))
