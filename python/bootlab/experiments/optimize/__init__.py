# SPDX-License-Identifier: MIT
"""From a system to the fastest system that still works: plan, search on the stack engine, shrink, resume."""
