# SPDX-License-Identifier: MIT
"""The card that a board starts from, with its boot loader."""
