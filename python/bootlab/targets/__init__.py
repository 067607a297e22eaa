# SPDX-License-Identifier: MIT
"""What boots a system: QEMU, or a recording played back."""
