# SPDX-License-Identifier: MIT
"""What an initramfs holds, told from its tree."""

from __future__ import annotations

from bootlab.model.change import MountRootDirectly
from bootlab.model.root import Root
from bootlab.model.system import Goal, Initramfs, Kernel, SystemDescription
from bootlab.model.tree import Entry, FileTree
from bootlab.sources.initramfs import facts_of_tree

FOLDER = "/usr/lib/modules/6.12.118+deb13-amd64/kernel/"
MODULES = tuple(FOLDER + name for name in ("fs/ext4/ext4.ko.xz", "drivers/mmc/sdhci-pci.ko", "drivers/104-quad-8.ko"))
NAMES = frozenset({"ext4", "sdhci_pci", "104_quad_8"})
FILE = Entry(kind="file", text="")


def test_modules_are_known_by_the_kernel_s_names():
    facts = facts_of_tree(FileTree.of(dict.fromkeys(MODULES, FILE)))
    assert facts.modules == NAMES
    assert facts.releases == ("6.12.118+deb13-amd64",)


def test_the_numbers_of_initramfs_direct_are_no_part_of_a_module_s_name():
    """Else the preflight refuses the very system that the technique made."""
    system = SystemDescription(
        name="direct",
        kernel=Kernel(image="none"),
        goal=Goal(console="g"),
        initramfs=Initramfs(tree=FileTree.of(dict.fromkeys(MODULES, FILE))),
        root=Root(medium="sd", tree=FileTree()),
    )
    changed = MountRootDirectly(MODULES, "ext4").apply(system)
    assert changed.initramfs is not None
    assert facts_of_tree(changed.initramfs.tree).modules == NAMES
