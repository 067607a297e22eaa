# SPDX-License-Identifier: MIT
"""A gate as a badge: an SVG of one line, for a README."""

from __future__ import annotations

from statistics import median_high

from bootlab.history.boot_times import TOTAL
from bootlab.history.gate import GateAnswer, GateResult
from bootlab.model import figures
from bootlab.views.xml_text import xml_text

# Both with the white text above WCAG's contrast of 4.5.
_COLOURS = {GateAnswer.PASSED: "#1a7f37", GateAnswer.FAILED: "#c0262d", GateAnswer.UNDECIDED: "#7a5b00"}
_CHAR_PX, _PAD_PX = 7, 6
_NOISY_NS = 1_000_000
"""A badge has no room for how far noisy boots lie apart: it shows whole milliseconds."""


def render(found: GateResult) -> str:
    """Return the badge: `boot` and the whole boot's time, or the answer where it is not known."""
    own = next((one.median_ns for one in found.budgets if one.budget.name == TOTAL), None)
    if own is None and found.total is not None and found.total.new_ns:
        own = median_high(found.total.new_ns)
    said = found.answer.value if own is None else f"{figures.ms(own, None if found.exact else _NOISY_NS)} ms"
    left, right = "boot", xml_text(said)
    split, width = len(left) * _CHAR_PX + 2 * _PAD_PX, (len(left) + len(right)) * _CHAR_PX + 4 * _PAD_PX
    texts = "".join(
        f'<text x="{x}" y="14">{text}</text>' for x, text in ((split / 2, left), ((split + width) / 2, right))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{left}: {right}">'
        f'<title>{left}: {right} ({found.answer.value})</title><rect width="{width}" height="20" fill="#444"/>'
        f'<rect x="{split}" width="{width - split}" height="20" fill="{_COLOURS[found.answer]}"/>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g>'
        "</svg>\n"
    )
