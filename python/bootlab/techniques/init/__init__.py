# SPDX-License-Identifier: MIT
"""Techniques of the stage `init`: one file a mechanism, registered in `bootlab.techniques.registry`."""
