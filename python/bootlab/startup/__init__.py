"""How a root tree starts: init's tables, start scripts, their order, BusyBox's applets. Files are read, nothing is run."""
