# SPDX-License-Identifier: MIT
"""What a boot's files let expect of it, said while its kernel still starts: a word to whoever waits, never an end."""

from __future__ import annotations

from bootlab.launch import picture
from bootlab.model.system import SystemDescription
from bootlab.preflight import first_script, goal_words, started_programs


def likely(system: SystemDescription) -> str:
    """Return why a system is not likely to come to its goal; "" where its files do not tell."""
    if system.root is None and system.cmdline.value("root"):
        # An initramfs hands over to a medium that the system file only names: what is on it was not read.
        return ""
    if picture.is_goal(system):
        # No file has the line that bootlab itself prints, and what a program draws nobody can tell from its files.
        return started_programs.likely(system)
    if not system.goal.sought:
        # A first boot waits for no line, so nothing that its files lack keeps it from one.
        return started_programs.likely(system) or first_script.on_screen(system)
    # What cannot run is the cause of what a script does not print.
    return started_programs.likely(system) or first_script.likely(system) or goal_words.likely(system)
