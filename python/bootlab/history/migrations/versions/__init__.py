# SPDX-License-Identifier: MIT
"""One step a file; the first line of each says what it does."""
