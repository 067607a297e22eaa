# SPDX-License-Identifier: MIT
"""Tables, each stated once (`listing`) and drawn in four forms: terminal, Markdown, CSV, a page's table.

Findings state their listing themselves; a comparison's tables become listings in `cells`.
"""
