# SPDX-License-Identifier: MIT
"""Techniques of the stage `image`: one file a mechanism, registered in `bootlab.techniques.registry`."""
