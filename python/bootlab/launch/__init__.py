# SPDX-License-Identifier: MIT
"""A system as a launch of the emulator, and the emulator run and watched to its end."""
