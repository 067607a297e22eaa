# SPDX-License-Identifier: MIT
"""What looks at files, with folders of its own."""

from __future__ import annotations

import pytest

from bootlab.builders.cache import Cache
from bootlab.sources.look import Looker


@pytest.fixture
def looker(tmp_path) -> Looker:
    return Looker(tmp_path / "kept", Cache(tmp_path / "cache"), tmp_path / "unpacked")
