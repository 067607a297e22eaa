# SPDX-License-Identifier: MIT
"""Turns recordings into stages, comparisons and verdicts. Pure: no boots, no files."""
