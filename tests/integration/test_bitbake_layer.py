# SPDX-License-Identifier: MIT
"""The layer for Yocto, read by BitBake's own parser; and its task's shell, run as the task would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPLAYED, REPOSITORY

LAYER = REPOSITORY / "meta-bootlab"
# BitBake lies in the folder that this names (pip install --target FOLDER bitbake-setup); its warnings are its own.
BITBAKE = os.environ.get("BOOTLAB_BITBAKE", "")
READ = """
import json, sys, types, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
# The package from PyPI has the parser whole, and lacks the client of a server for hashes, which parsing does not ask.
for name in ("hashserv", "hashserv.client"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["hashserv"].client = sys.modules["hashserv.client"]
import bb.data, bb.parse, bb.siggen
layer, recipe = sys.argv[2:4]
d = bb.data.init()
bb.parse.siggen = bb.siggen.init(d)
d.setVar("LAYERDIR", layer)
d.setVar("BBPATH", "/none")
d = bb.parse.handle(layer + "/conf/layer.conf", d, True)
names = ("BBPATH", "BBFILE_COLLECTIONS", "LAYERDEPENDS_bootlab", "LAYERSERIES_COMPAT_bootlab", "HOSTTOOLS_NONFATAL")
said = {name: d.getVar(name) for name in names}
d.setVar("BBPATH", layer)
d.setVar("__bbclasstype", "recipe")
for word in sys.argv[4:]:
    name, _, value = word.partition("=")
    d.setVar(name, value)
found = bb.parse.handle(recipe, d)[""]
said["tasks"] = found.getVar("__BBTASKS", False)
said["after"] = found.getVarFlag("do_bootlab", "deps", False)
said["depends"] = found.getVarFlag("do_bootlab", "depends")
said["nostamp"] = found.getVarFlag("do_bootlab", "nostamp")
said["shell"] = found.getVar("do_bootlab")
print(json.dumps(said))
"""


def parsed(tmp_path: Path, **variables: str) -> dict[str, object]:
    """Return what BitBake's parser makes of the layer, and of a recipe that inherits its class."""
    if not (Path(BITBAKE) / "bb" / "parse").is_dir():
        pytest.skip("BOOTLAB_BITBAKE=FOLDER names no BitBake: pip install --target FOLDER bitbake-setup")
    recipe = tmp_path / "image.bb"
    recipe.write_text(
        'inherit bootlab\nIMAGE_BASENAME = "image"\ndo_image_complete() {\n    :\n}\naddtask image_complete\n'
    )
    names = {"DEPLOY_DIR_IMAGE": str(tmp_path / "deploy"), "TOPDIR": str(tmp_path)} | variables
    words = [sys.executable, "-c", READ, BITBAKE, str(LAYER), str(recipe), *(f"{k}={v}" for k, v in names.items())]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    read: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return read


def run(shell: str, tmp_path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a task's shell as BitBake does: `sh -e`, with its functions that tell."""
    told = 'bbfatal() { echo "FATAL: $*"; exit 1; }\nbbwarn() { echo "WARNING: $*"; }\n'
    program = f"set -e\n{told}do_bootlab() {{\n{shell}}}\ndo_bootlab\n"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["sh", "-c", program], env=os.environ | {"PATH": path} | environ, cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_bitbake_reads_the_layer_and_the_class(tmp_path: Path) -> None:
    said = parsed(tmp_path)
    assert str(said["BBPATH"]).endswith(f":{LAYER}")
    assert str(said["BBFILE_COLLECTIONS"]).split() == ["bootlab"]
    assert said["LAYERDEPENDS_bootlab"] == "core"
    assert "scarthgap" in str(said["LAYERSERIES_COMPAT_bootlab"])
    assert "bootlab" in str(said["HOSTTOOLS_NONFATAL"]).split()
    assert "do_bootlab" in said["tasks"]  # type: ignore[operator]
    assert said["after"] == ["do_image_complete"]
    assert said["depends"].split() == ["virtual/kernel:do_deploy"]  # type: ignore[attr-defined]
    assert not said["nostamp"]
    assert parsed(tmp_path, BOOTLAB_AGAINST="/srv/base.toml")["nostamp"] == "1"


def test_the_task_writes_the_system_file_gates_it_and_fails_over_budget(tmp_path: Path) -> None:
    """bootlab is a script here that writes a recorded system and passes all else on."""
    text = REPLAYED.read_text(encoding="utf-8").replace('"fixture"', f'"{REPLAYED.parent / "fixture"}"')
    (tmp_path / "given.toml").write_text(text, encoding="utf-8")
    stand_in = tmp_path / "stand-in"
    stand_in.write_text(
        '#!/bin/sh\nif [ "$1" = new ]; then echo "$*" > asked; cp given.toml "$2"; exit 0; fi\n'
        f'exec {sys.executable} -m bootlab.cli "$@"\n'
    )
    stand_in.chmod(0o755)
    for budget, code in (("total=4s", 0), ("total=4s kernel=1s", 1), ("nothing=4s", 0)):
        shell = str(parsed(tmp_path, BOOTLAB=str(stand_in), BOOTLAB_BOOT="1", BOOTLAB_BUDGET=budget)["shell"])
        done = run(shell, tmp_path)
        assert done.returncode == code, done.stdout + done.stderr
        assert ("FATAL: the boot is over budget" in done.stdout) == (code == 1)
        assert ("WARNING: bootlab cannot tell" in done.stdout) == budget.startswith("nothing")
    deploy = tmp_path / "deploy"
    (deploy / "bootlab-image" / "report.html").unlink()
    shell = str(parsed(tmp_path, BOOTLAB=str(stand_in), BOOTLAB_BOOT="1")["shell"])
    done = run(shell, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "asked").read_text() == f"new {deploy}/bootlab-image/system.toml --force --from {deploy}\n"
    assert {path.name for path in (deploy / "bootlab-image").iterdir()} >= {
        "system.toml",
        "report.html",
        "gate.xml",
        "gate.md",
    }


STAND_IN = """
import sys, types, unittest
from pathlib import Path
def module(name, **names):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(names)
for name in ("oeqa", "oeqa.core", "oeqa.core.decorator", "oeqa.runtime"):
    module(name)
module("oeqa.core.decorator.depends", OETestDepends=lambda tests: lambda method: method)
module("oeqa.runtime.case", OERuntimeTestCase=unittest.TestCase)
sys.path.insert(0, sys.argv[1])
import boottime
case = boottime.BootTimeTest("test_boots_keep_their_budget")
case.target = types.SimpleNamespace(ssh=[sys.argv[2]], ip="192.0.2.1")
names = ("BOOTLAB_TEST_BUDGET", "BOOTLAB", "TEST_LOG_DIR")
case.td = dict(zip(names, sys.argv[3:]))
result = unittest.TestResult()
case.run(result)
print("failed" if result.failures else "skipped" if result.skipped else "passed" if not result.errors else "error")
print(*[text for _, text in result.failures + result.errors + result.skipped])
"""


def test_the_case_of_oeqa_starts_a_machine_five_times_and_judges_it(tmp_path: Path) -> None:
    """`oeqa` is a stand-in of a few lines here, and the machine a script that ssh would reach."""
    machine = tmp_path / "ssh"
    machine.write_text(
        f'#!/bin/sh\ncd {tmp_path}\n[ "$1" = 192.0.2.1 ] || exit 255\ncase "$2" in\n*reboot) echo x >> reboots ;;\n'
        '*) echo "Startup finished in 1.2$(wc -l < reboots)s (kernel) + 5.6s (userspace) = 6.8$(wc -l < reboots)s" ;;\n'
        "esac\n"
    )
    bootlab = tmp_path / "bootlab"
    bootlab.write_text(f'#!/bin/sh\nexec {sys.executable} -m bootlab.cli "$@"\n')
    machine.chmod(0o755)
    bootlab.chmod(0o755)
    cases = LAYER / "lib" / "oeqa" / "runtime" / "cases"
    for budget, answer in (("total=9s kernel=2s", "passed"), ("total=5s", "failed"), ("nothing=5s", "skipped")):
        (tmp_path / "reboots").write_text("")
        words: list[str | Path] = [sys.executable, "-c", STAND_IN, cases, machine, budget, bootlab, tmp_path / budget]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[0] == answer, done.stdout
        assert (tmp_path / "reboots").read_text() == 4 * "x\n"
        assert len(list((tmp_path / budget / "bootlab").iterdir())) == 5
