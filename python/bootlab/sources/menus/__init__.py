# SPDX-License-Identifier: MIT
"""What each boot loader's files say that it would start: one loader a file. Nothing is run."""
