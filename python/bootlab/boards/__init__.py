# SPDX-License-Identifier: MIT
"""Real boards: a console that is read at arrival, a power switch, and what can go wrong with both."""
