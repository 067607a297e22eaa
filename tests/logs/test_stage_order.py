# SPDX-License-Identifier: MIT
"""User space never precedes the kernel, in any log."""

from __future__ import annotations

import pytest

from bootlab.errors import BootlabError
from bootlab.logs import analyze

USER_SPACE = ("user-space-start", "switch-root", "rc-scripts", "application-start", "first-use")
_MOST_BYTES = 3_000_000


@pytest.mark.slow
def test_user_space_never_precedes_the_kernel(cases):
    seen = 0
    for path in sorted(cases.rglob("*")):
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            continue
        try:
            boots = analyze(path.read_bytes(), name=path.name).boots
        except BootlabError:
            continue
        for boot in boots:
            times = {stage.event: stage.ns for stage in boot.stages if stage.ns is not None}
            if (kernel_ns := times.get("kernel-start")) is not None:
                seen += 1
                late = {event: ns for event, ns in times.items() if event in USER_SPACE and ns < kernel_ns}
                assert late == {}, path.name
    assert seen > 20
