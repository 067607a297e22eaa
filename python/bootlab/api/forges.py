# SPDX-License-Identifier: MIT
"""Comments on pull and merge requests."""

from bootlab.forges.comment import Posted, post

__all__ = ["Posted", "post"]
