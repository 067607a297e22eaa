"""A laboratory for Linux boot time."""
