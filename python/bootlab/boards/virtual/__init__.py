# SPDX-License-Identifier: MIT
"""A board that is a program: a console on a pseudo-terminal, a power switch, faults, and a log of the truth."""
