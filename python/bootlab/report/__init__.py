"""What a run found, for a person and for a program: results file, terminal tables, HTML page, traces, Markdown."""
