# SPDX-License-Identifier: MIT
"""From a system to the files that boot it. Everything made is cached by the content it was made from."""
