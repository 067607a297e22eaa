# SPDX-License-Identifier: MIT
"""The timeline of a boot for trace viewers."""
