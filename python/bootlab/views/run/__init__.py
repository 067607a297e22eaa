# SPDX-License-Identifier: MIT
"""A run for people: terminal, Markdown, one HTML page."""
