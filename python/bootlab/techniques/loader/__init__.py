# SPDX-License-Identifier: MIT
"""Techniques of the stage `loader`: what a boot loader does on its way to the kernel."""
