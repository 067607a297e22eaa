# SPDX-License-Identifier: MIT
"""What a gate found, for people and for the programs around it."""
