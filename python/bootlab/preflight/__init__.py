# SPDX-License-Identifier: MIT
"""Mistakes named before a boot: what of a system cannot work, in a sentence with the way out."""
