# SPDX-License-Identifier: MIT
"""Techniques of the stage `initramfs`: one file a mechanism, registered in `bootlab.techniques.registry`."""
