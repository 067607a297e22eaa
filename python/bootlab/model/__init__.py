# SPDX-License-Identifier: MIT
"""Plain frozen data. Nothing here reads a file, starts a program or imports another layer."""
