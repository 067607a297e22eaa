# SPDX-License-Identifier: MIT
"""Techniques that are rows: each sets options of the kernel's configuration, and says what that costs."""
