"""What a gate found, for people and for the programs around it."""
