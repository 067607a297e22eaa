"""Function traces for people and for other programs."""
