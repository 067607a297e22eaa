# SPDX-License-Identifier: MIT
"""What stays on disk: runs with their results, the faster system handed over."""
