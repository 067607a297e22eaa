"""Boots bases and variants, compares them, stacks the winners."""
