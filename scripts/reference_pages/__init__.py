# SPDX-License-Identifier: MIT
"""The generated pages of docs/reference: one page a file, each made out of what the code itself says."""
