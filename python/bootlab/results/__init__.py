# SPDX-License-Identifier: MIT
"""The document of a run: typed, versioned, read and written in one place."""
