# SPDX-License-Identifier: MIT
"""The timer laboratory: timers under stress, conformance, configurations side by side."""
