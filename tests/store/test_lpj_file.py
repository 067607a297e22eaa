# SPDX-License-Identifier: MIT
"""The file of a stored loops-per-jiffy value."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from bootlab.errors import UserError
from bootlab.logs.delay_loop import LogMachine
from bootlab.logs.lpj_value import StoredLpj
from bootlab.store import lpj_file
from tests.examples import examples

STORED = StoredLpj(
    lpj=311296, hz=100, kernel="6.1.192", board=LogMachine(model="V2P-CA9"), machine="QEMU vexpress-a9", shift=4
)


def test_there_and_back(tmp_path):
    path = tmp_path / "lpj.json"
    lpj_file.save(STORED, path)
    assert lpj_file.load(path) == STORED


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "is not a stored value"),
        ("[1]", "is not a stored value"),
        ('{"format": "bootlab-results"}', "is not a stored value"),
        ('{"format": "bootlab-lpj", "version": 9}', "version 9"),
        ('{"format": "bootlab-lpj", "version": 1}', "damaged"),
        ('{"format":"bootlab-lpj","version":1,"lpj":0,"hz":100,"kernel":"","board":{}}', "damaged"),
    ],
)
def test_what_is_no_such_file_is_said(tmp_path, text, part):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(UserError, match=part) as raised:
        lpj_file.load(path)
    assert "bootlab lpj read" in raised.value.hint


@examples(50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_rubbish_is_an_error_of_the_user(tmp_path, data):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(UserError):
        lpj_file.load(path)


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    with pytest.raises(UserError, match="cannot write"):
        lpj_file.save(STORED, tmp_path / "none" / "lpj.json")
    with pytest.raises(UserError, match="cannot read"):
        lpj_file.load(tmp_path / "none.json")
