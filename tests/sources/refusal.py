# SPDX-License-Identifier: MIT
"""An input that nothing can be made of: the error names it and says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from bootlab.errors import UserError
from bootlab.sources.look import Looker
from bootlab.systemfile.proposal import propose


def refused(looker: Looker, path: Path) -> UserError:
    with pytest.raises(UserError) as raised:
        propose(looker.look(path), "x")
    assert str(path) in raised.value.message
    assert raised.value.hint
    return raised.value
