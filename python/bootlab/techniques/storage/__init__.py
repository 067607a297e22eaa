# SPDX-License-Identifier: MIT
"""Techniques of the stage `storage`: one file a mechanism, registered in `bootlab.techniques.registry`."""
