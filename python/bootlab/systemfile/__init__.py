# SPDX-License-Identifier: MIT
"""The system file: TOML text to a typed, checked SystemDescription, and the text that `bootlab new` writes."""

from bootlab.systemfile.loader import load, loads
from bootlab.systemfile.template import template

__all__ = ["load", "loads", "template"]
