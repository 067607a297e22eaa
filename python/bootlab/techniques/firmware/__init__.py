# SPDX-License-Identifier: MIT
"""Techniques of the stage `firmware`: one file a mechanism, registered in `bootlab.techniques.registry`."""
