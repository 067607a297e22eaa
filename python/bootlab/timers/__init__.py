"""The timer laboratory: timers under stress, conformance, configurations beside each other."""
