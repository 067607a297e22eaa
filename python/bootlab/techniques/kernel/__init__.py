# SPDX-License-Identifier: MIT
"""Techniques of the running kernel: one file a mechanism, registered in `bootlab.techniques.registry`."""
