# SPDX-License-Identifier: MIT
"""Function traces for people and for other programs."""
