# SPDX-License-Identifier: MIT
"""A result in the words of build systems: one folder a build system, one patch a change; and what a build has of it."""
