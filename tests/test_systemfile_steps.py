# SPDX-License-Identifier: MIT
"""[[steps]] of a system file: what they give, and what is wrong with them."""

import pytest

from bootlab.errors import SystemFileError
from bootlab.model.cmdline import Param
from bootlab.systemfile.loader import loads

BASE = 'name = "x"\ntarget = "replay"\n[goal]\nconsole = "ready"\n[initramfs.files]\n"/init" = { text = "a" }\n'


def test_the_keys_arrive():
    text = (
        '[[steps]]\nname = "small"\nremove = ["/usr/*"]\nkeep = ["/usr/bin/*"]\ndrop = ["rw"]\n'
        'set = ["rdinit=/app", "quiet"]\n'
        'arguments = ["-v", "two words"]\nshown = "small"\ngone = "large"\npublished = "-1 ms"\n'
        '[steps.files]\n"/app" = { text = "b" }\n[steps.programs."/bin/p"]\nbuild = "true"\n'
        '[[steps]]\nname = "next"\ntechnique = "quiet"\n'
    )
    small, following = loads(BASE + text).steps
    assert (small.remove, small.keep, small.drop) == (("/usr/*",), ("/usr/bin/*",), ("rw",))
    assert small.set == (Param("rdinit", "/app"), Param("quiet"))
    assert small.arguments == ("-v", "two words")
    assert [path for path, _ in small.tree.entries] == ["/app"]
    assert [program.path for program in small.programs] == ["/bin/p"]
    assert (small.shown, small.gone, small.published) == ("small", "large", "-1 ms")
    assert (following.name, following.technique, following.arguments) == ("next", "quiet", None)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('name = "a b"\nremove = ["/x"]\nshown = "y"', "steps[0].name"),
        ('name = "a"\nshown = "y"', "steps[0]"),
        ('name = "a"\nremove = ["/x"]', "steps[0]"),
        ('name = "a"\nremove = ["x"]\nshown = "y"', "steps[0].remove[0]"),
        ('name = "a"\nkeep = ["x"]\nshown = "y"', "steps[0].keep[0]"),
        ('name = "a"\nset = ["a b"]\nshown = "y"', "steps[0].set[0]"),
        ('name = "a"\ndrop = ["a=1"]\nshown = "y"', "steps[0].drop[0]"),
        ('name = "a"\nremove = ["/x"]\nshown = "("', "steps[0].shown"),
        ('name = "a"\nremove = ["/x"]\ngone = "y*"', "steps[0].gone"),
        ('name = "a"\nshown = "y"\n[steps.files]\n"/x" = { }', 'steps[0].files."/x"'),
        ('name = "a"\nshown = "y"\n[steps.programs."/x"]\nlink = "dynamic"', 'steps[0].programs."/x".link'),
        ('name = "a"\ntechnique = "b"\n[[steps]]\nname = "a"\ntechnique = "c"', "steps[1].name"),
        ('title = "a"\ntechnique = "b"', "steps[0].name"),
    ],
)
def test_mistakes_name_their_key(text, where):
    with pytest.raises(SystemFileError) as caught:
        loads(f"{BASE}[[steps]]\n{text}\n")
    assert caught.value.where == where
