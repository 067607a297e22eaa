# SPDX-License-Identifier: MIT
"""Each source says its licence; the packages say the licences of all that they carry."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
CRATES = ("boottrace", "bootpage", "kernelimage", "kernelsource")


@pytest.fixture(scope="module")
def spdx():
    spec = importlib.util.spec_from_file_location("spdx", REPOSITORY / "scripts" / "spdx.py")
    assert spec is not None and spec.loader is not None  # noqa: PT018
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def texts(spdx) -> dict[Path, str]:
    return {path: (REPOSITORY / path).read_text(encoding="utf-8") for path in spdx.sources()}


def test_each_source_names_its_licence(spdx, texts):
    assert len(texts) > 1500
    lacking = [str(path) for path, text in texts.items() if not spdx.has_line(text)]
    assert lacking == [], "add it: python3 scripts/spdx.py"


def test_the_licence_is_that_of_the_folder(texts):
    named = {path: re.search(r"SPDX-License-Identifier: (\S+)", text)[1] for path, text in texts.items()}
    assert {path.parts[0] for path, name in named.items() if name == "GPL-2.0-or-later"} == {"qemu-plugin"}
    assert {name for path, name in named.items() if path.parts[0] == "qemu-plugin"} == {"GPL-2.0-or-later"}
    # What a module of Linux takes from it says so; it is no part of the package's programs.
    others = {path.parts[:2] for path, name in named.items() if name not in {"MIT", "GPL-2.0-or-later"}}
    assert others <= {("guest", "modules")}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", '"""Doc."""\n', '# SPDX-License-Identifier: MIT\n"""Doc."""\n'),
        ("tool", "#!/bin/sh\necho\n", "#!/bin/sh\n# SPDX-License-Identifier: MIT\necho\n"),
        ("page.css", "a {}\n", "/* SPDX-License-Identifier: MIT */\na {}\n"),
        ("qemu-plugin/x.c", "int x;\n", "// SPDX-License-Identifier: GPL-2.0-or-later\nint x;\n"),
    ],
)
def test_where_the_line_goes(spdx, name, text, expected):
    made = spdx.with_line(Path(name), text)
    assert made == expected
    assert spdx.has_line(made)
    assert not spdx.has_line(text)


def test_the_wheel_names_both_licences_and_where_it_comes_from():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "MIT AND GPL-2.0-or-later"
    assert set(project["license-files"]) == {"LICENSE", "qemu-plugin/LICENSE"}
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= set(project["urls"])


@pytest.mark.parametrize("crate", CRATES)
def test_a_crate_has_what_its_page_shows(crate):
    folder = REPOSITORY / "crates" / crate
    package = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))["package"]
    assert package["description"]
    assert package["readme"] == "README.md"
    assert 1 <= len(package["keywords"]) <= 5
    assert all(re.fullmatch(r"[a-z][a-z0-9-]{0,19}", word) for word in package["keywords"])
    assert 1 <= len(package["categories"]) <= 5
    assert (folder / "README.md").is_file()
    assert (folder / "LICENSE").read_text() == (REPOSITORY / "LICENSE").read_text()


def test_the_release_script_checks_what_it_publishes():
    script = (REPOSITORY / "scripts" / "release.sh").read_text(encoding="utf-8")
    (named,) = re.findall(r'^crates="([^"]+)"$', script, re.MULTILINE)
    assert set(named.split()) == set(CRATES)
    assert script.index("twine check --strict") < script.index("nothing was published") < script.index("twine upload")
    assert script.index("cargo publish --locked --dry-run") < script.index("nothing was published")
