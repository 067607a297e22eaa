# SPDX-License-Identifier: MIT
"""The hand-over as files: each build system's folder, and patches that git takes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bootlab.deliver import evidence
from bootlab.deliver.languages import LANGUAGES
from bootlab.deliver.patch import Blob, mail
from bootlab.deliver.written import write
from bootlab.errors import UserError
from bootlab.model.change import Change, PutFile
from bootlab.model.contrast import Contrast
from bootlab.model.tree import Entry
from tests.deliver.made import over
from tests.examples import examples

CONTENTS = st.binary(max_size=60) | st.text(max_size=40)
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")


def run(*words: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def git(repository: Path, *words: str | Path) -> str:
    return run("git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words, cwd=repository)


def seen(root: Path) -> dict[str, tuple[str, bool, bytes]]:
    found = {}
    for place in root.rglob("*"):
        name = str(place.relative_to(root))
        if name.startswith((".git/", "patches/")):
            continue
        if place.is_symlink():
            found[name] = ("link", False, str(place.readlink()).encode())
        elif place.is_file():
            found[name] = ("file", bool(place.stat().st_mode & 0o100), place.read_bytes())
    return found


def patches_of(folder: Path, name: str) -> list[Path]:
    home = folder / name
    inside = home / "patches"
    return sorted((inside if inside.is_dir() else home.with_name(f"{home.name}.patches")).glob("*.patch"))


@needs_git
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name.replace("/", "-"))
def test_the_patches_make_the_folder(tmp_path, language):
    folder = write(over(), tmp_path)
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q")
    patches = patches_of(folder, language.name)
    git(repository, "am", "--keep-cr", *patches)
    assert seen(repository) == seen(folder / language.name)
    assert git(repository, "log", "--format=%s").count("boot: ") == len(patches)
    assert git(repository, "status", "--porcelain") == ""


@needs_git
def test_bytes_links_modes_and_odd_names_arrive(tmp_path):
    source = tmp_path / "program"
    source.write_bytes(bytes(range(256)) * 40)
    entries = {
        "/etc/ä name": Entry(kind="file", mode=0o644, source=str(source)),
        "/etc/empty": Entry(kind="file", mode=0o755, text=""),
        "/etc/link": Entry(kind="symlink", target="no end"),
        "/etc/form": Entry(kind="file", mode=0o644, text="one\ftwo\r\nthree\x85four"),
    }
    changes = tuple(
        evidence.HandedChange(change=Change(technique=f"t{number}", ops=(PutFile(path, entry),)))
        for number, (path, entry) in enumerate(entries.items())
    )
    folder = write(msgspec.structs.replace(over(), changes=changes), tmp_path)
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "-q")
    git(repository, "am", "--keep-cr", *patches_of(folder, "debian"))
    assert seen(repository) == seen(folder / "debian")
    assert (repository / "etc/ä name").read_bytes() == source.read_bytes()
    assert str((repository / "etc/link").readlink()) == "no end"


@needs_git
@given(
    before=st.none() | st.binary(max_size=60) | st.text(max_size=40),
    after=st.binary(max_size=60) | st.text(max_size=40),
)
@examples(20)
def test_any_contents_become_any_others(tmp_path_factory, before, after):
    blobs = [None if one is None else Blob(one.encode() if isinstance(one, str) else one) for one in (before, after)]
    old, new = blobs
    repository = tmp_path_factory.mktemp("repository")
    git(repository, "init", "-q")
    if old is not None:
        (repository / "file").write_bytes(old.data)
        git(repository, "add", "file")
        git(repository, "commit", "-q", "-m", "before")
    if old == new:
        return
    (repository / "a.patch").write_text(mail("subject", "body\n", "", {"file": (old, new)}, "1/1"), newline="\n")
    git(repository, "am", "--keep-cr", "a.patch")
    assert (repository / "file").read_bytes() == new.data


def test_each_patch_has_its_evidence(tmp_path):
    folder = write(over(), tmp_path)
    text = next((folder / "debian/patches").glob("*-quiet.patch")).read_text()
    assert "Subject: [PATCH 1/8] boot: quiet: Title of quiet" in text
    assert "Goal: 9.000 ms (2 boots, 8.900 to 9.100) -> 7.000 ms (1 boot), virtual clock." in text
    assert "The result without this change alone: 1.500 ms later." in text
    assert "Shown active by: a line of the console." in text


def test_what_a_language_has_no_words_for_is_said(tmp_path):
    page = (write(over(), tmp_path) / "README.md").read_text()
    sections = {part.partition("\n")[0]: part for part in page.split("\n## ")[1:]}
    for title, section in sections.items():
        assert "`firmware`: machine: firmware=qboot" in section, title
    assert "`quiet`: kernel command line: add quiet, drop splash" in sections["Buildroot: an external tree"]
    assert "drop splash; mkosi only adds words" in sections["mkosi"]


def test_what_was_given_up_is_handed_over(tmp_path):
    assert "before and after" not in (write(over(), tmp_path) / "README.md").read_text()
    lost = Contrast(kind="hardening", subject="CONFIG_BUG", before="OK", after="FAIL: is not\nfound")
    page = (write(msgspec.structs.replace(over(), contrasts=(lost,)), tmp_path) / "README.md").read_text()
    assert "## Security and function, before and after" in page
    assert "* hardening, CONFIG_BUG: OK \N{RIGHTWARDS ARROW} FAIL: is not found\n" in page


def test_grub_gets_the_words_and_loses_the_others(tmp_path):
    folder = write(over(), tmp_path) / "debian/etc/default/grub.d"
    script = 'GRUB_CMDLINE_LINUX="console=ttyS0 splash"; GRUB_CMDLINE_LINUX_DEFAULT="splash x=*"\n'
    script += "".join(f". '{path}'\n" for path in sorted(folder.glob("*.cfg")))
    script += 'echo "$GRUB_CMDLINE_LINUX|$GRUB_CMDLINE_LINUX_DEFAULT"\n'
    assert run("sh", "-euc", script, cwd=tmp_path).strip().split("|") == [
        "console=ttyS0 quiet initcall_blacklist=one,two",
        "x=*",
    ]


def test_hooks_and_post_build_scripts_remove_what_is_left_out(tmp_path):
    folder = write(over(), tmp_path)
    tree = tmp_path / "tree"
    for name in ("usr/share/doc/a", "etc/motd", "lib/modules/6.1/kernel/floppy.ko", "bin/fsck", "bin/sh"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("x")
    run(folder / "buildroot/post-build.sh", cwd=tmp_path, TARGET_DIR=str(tree))
    hook = next((folder / "debian/etc/initramfs-tools/hooks").iterdir())
    assert run(hook, "prereqs", cwd=tmp_path) == ""
    run(hook, cwd=tmp_path, DESTDIR=str(tree))
    assert [str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()] == ["bin/sh"]


def test_dracut_leaves_out_modules_by_name_and_says_what_it_cannot(tmp_path):
    folder = write(over(), tmp_path)
    texts = [path.read_text() for path in (folder / "dracut/etc/dracut.conf.d").iterdir()]
    assert sorted(texts) == ['compress="xz"\n', 'omit_drivers+=" floppy "\n']
    assert "`slim`: initramfs: leave out /bin/fsck" in (folder / "README.md").read_text()


def test_the_document_comes_back_and_damage_is_refused(tmp_path):
    folder = write(over(), tmp_path)
    assert evidence.load(tmp_path) == evidence.load(folder) == over()
    file = folder / evidence.CHANGES
    file.write_text(file.read_text().replace("quiet", "quick"))
    with pytest.raises(UserError, match="not those that were written"):
        evidence.load(tmp_path)
    with pytest.raises(UserError, match=r"holds no changes\.json"):
        evidence.load(tmp_path / "nowhere")
