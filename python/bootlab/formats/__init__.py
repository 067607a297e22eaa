# SPDX-License-Identifier: MIT
"""Bytes to facts: kernels, archives, disks, partition tables, file systems, device trees; no idea of a system."""
