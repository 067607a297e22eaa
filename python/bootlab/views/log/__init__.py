# SPDX-License-Identifier: MIT
"""What analysis of boot logs and traces found, for people and for other programs."""
