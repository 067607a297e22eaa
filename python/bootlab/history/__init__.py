# SPDX-License-Identifier: MIT
"""Boots over months: the store of many runs, trends, budgets, gates, bisection."""
