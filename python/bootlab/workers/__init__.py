# SPDX-License-Identifier: MIT
"""Boots and kernels by other machines: the workers of a dask scheduler, and the files that they share."""
