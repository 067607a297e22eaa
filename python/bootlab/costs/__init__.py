# SPDX-License-Identifier: MIT
"""What a board adds to an exact boot: presets with their sources, files of a user's own, and the one model."""
