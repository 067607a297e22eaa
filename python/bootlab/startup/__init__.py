# SPDX-License-Identifier: MIT
"""How a root tree starts: init's tables, start scripts, their order, BusyBox's applets. Nothing is run."""
