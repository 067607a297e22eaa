"""A comparison in four forms: terminal, Markdown, CSV, one HTML page."""
