# SPDX-License-Identifier: MIT
"""Traced boots: what the plugin for functions must know of a kernel and its modules."""
