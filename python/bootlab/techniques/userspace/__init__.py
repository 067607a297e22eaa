# SPDX-License-Identifier: MIT
"""Techniques of stage userspace that build programs another way."""
