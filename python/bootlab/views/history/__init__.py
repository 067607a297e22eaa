# SPDX-License-Identifier: MIT
"""The history for people: on the terminal and as pages."""
