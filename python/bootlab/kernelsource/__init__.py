# SPDX-License-Identifier: MIT
"""What a kernel source tree says: Kconfig, Makefiles, where functions are defined, device trees."""
