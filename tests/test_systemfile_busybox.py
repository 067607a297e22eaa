# SPDX-License-Identifier: MIT
"""A BusyBox that is built, in a system file: read, checked, and errors that name the key."""

import pytest

from bootlab.errors import SystemFileError
from bootlab.model.tree import BusyboxBuild
from bootlab.systemfile import loads

HEAD = """name = "x"
cmdline = "console=ttyS0"
[kernel]
image = "/bin/sh"
[goal]
console = "goal"
[initramfs.files]
"""


def _load(value: str, tmp_path):
    return loads(f'{HEAD}"/bin/busybox" = {{ busybox = {value} }}\n', path=str(tmp_path / "system.toml"))


def test_applets_and_options(tmp_path):
    system = _load(
        '{ applets = ["sh", "[", "cat", "sh"], options = { CONFIG_FEATURE_EDITING = false, X = "y" } }', tmp_path
    )
    entry = system.tree.get("/bin/busybox")
    assert entry.busybox == BusyboxBuild(applets=("[", "cat", "sh"), options=(("FEATURE_EDITING", "n"), ("X", "y")))
    assert entry.mode == 0o755


def test_all_of_the_base(tmp_path):
    assert _load("{}", tmp_path).tree.get("/bin/busybox").busybox == BusyboxBuild()


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ('{ applets = ["/bin/sh"] }', "not the name of an applet"),
        ('{ options = { "A B" = "y" } }', "option's name"),
        ('{ source = "nowhere" }', "nowhere"),
        ('{ applet = ["sh"] }', "applet"),
        ('{ applets = "sh" }', "applets"),
    ],
)
def test_mistakes_name_the_key(value, part, tmp_path):
    with pytest.raises(SystemFileError, match=part) as caught:
        _load(value, tmp_path)
    assert '/bin/busybox".busybox' in str(caught.value)
