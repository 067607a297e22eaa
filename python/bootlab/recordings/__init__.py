# SPDX-License-Identifier: MIT
"""What is kept on a disk and trusted only after it was checked: recordings, seals, what is being made."""
