"""Boots over months: the store of many runs, trends, budgets, gates, bisection."""
