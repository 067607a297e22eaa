"""Exit codes of a verb that did its work and found something. None is that of an error (:mod:`bootlab.errors`).

1 is left to what nobody foresaw: Python ends with it after an exception that nothing caught. So a script can tell a
regression from a crash.
"""

from __future__ import annotations

import enum
from typing import Self


class Found(enum.IntEnum):
    """What was found. Documented in docs/reference/exit-codes.md, which is made from this."""

    APPLIES = 10, "`check`: at least one technique applies"
    REGRESSION = 11, "`analyze`: a budget is not kept, or a comparison is slower"
    NOT_SO = 12, "`lpj test`: a test failed; `lpj validate`: the stored value does not fit"
    CANNOT_RUN = 13, "`rootfs check`: programs other than the first one cannot start"

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        """Keep what the code means beside it."""
        found = int.__new__(cls, code)
        found._value_ = code
        found.meaning = meaning
        return found
