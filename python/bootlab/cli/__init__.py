# SPDX-License-Identifier: MIT
"""The command line: one verb a file. Only here is anything printed or the process ended."""
