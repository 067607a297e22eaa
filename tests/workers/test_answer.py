# SPDX-License-Identifier: MIT
"""An error of a worker is the same error where the job was asked for."""

from __future__ import annotations

import pytest

from bootlab.errors import EnvironmentFault, KernelBuildError, TargetError, UserError
from bootlab.workers.answer import JobAnswer, error_of


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (TargetError("t", hint="h"), TargetError),
        (UserError("u", hint="h"), UserError),
        (EnvironmentFault("e"), EnvironmentFault),
        (ValueError("bug"), EnvironmentFault),
    ],
)
def test_an_error_comes_back_as_what_it_was(fault, kind):
    with pytest.raises(kind, match=str(fault)) as caught:
        error_of("w", fault).require()
    assert caught.value.exit_code == kind.exit_code


def test_a_kernel_that_does_not_build_says_what_the_linker_missed_and_where_the_log_is():
    with pytest.raises(KernelBuildError, match="no link") as caught:
        error_of("w", KernelBuildError("no link", hint="h", missing=frozenset({"b", "a"}), log="/w/log")).require()
    assert (caught.value.missing, caught.value.log) == ({"a", "b"}, "/w/log")


def test_an_answer_without_an_error_raises_nothing():
    JobAnswer(worker="w", attempt="x").require()
    JobAnswer(worker="w").require()
