# SPDX-License-Identifier: MIT
"""Experiments: a base, variants, columns and a judge. One comparison a file."""
