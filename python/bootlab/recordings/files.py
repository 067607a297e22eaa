# SPDX-License-Identifier: MIT
"""What the files of a recording are called that others look for by name."""

RECORDING_FILE = "recording.json"
CONSOLE_FILE = "console.log"
PACKED_CONSOLE_FILE = "console.log.xz"
