"""The timeline of a boot for trace viewers."""
