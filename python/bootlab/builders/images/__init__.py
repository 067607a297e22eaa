# SPDX-License-Identifier: MIT
"""Root file system images out of a tree of files: the same bytes every time, without root. One file system a file."""
