# SPDX-License-Identifier: MIT
"""Power switches by name: one file a switch, each turns the keys of `[power]` into the two commands that switch."""
