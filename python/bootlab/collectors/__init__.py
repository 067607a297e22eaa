# SPDX-License-Identifier: MIT
"""Each collector gets one kind of evidence out of a boot."""
