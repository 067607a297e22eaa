# SPDX-License-Identifier: MIT
"""A kernel source tree of a few files: a Makefile that imitates the targets and the output of the real one."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bootlab.model.system import KernelBuild

# Copies the configuration with "depends on" for one symbol only: B needs A; RIGHT wins its choice; without MODULES m is
# y, as with the real one. `slow` lets a build be cut off.
_MAKEFILE = r"""
VERSION = 6
PATCHLEVEL = 1
SUBLEVEL = 9
core-y := src/
SRCS := one two three
CONFIG_INITRAMFS_SOURCE = $(shell sed -n 's/^CONFIG_INITRAMFS_SOURCE="\(.*\)"/\1/p' obj/.config)
FAIL = echo "../$<:1:9: error: later" >&2; rm -f $@; exit 1; fi
allnoconfig:
	@cp $(KCONFIG_ALLCONFIG) obj/.config
	@grep -q '^CONFIG_A=y' obj/.config || sed -i '/^CONFIG_B=/d' obj/.config
	@grep -q '^CONFIG_MODULES=y' obj/.config || sed -i 's/=m$$/=y/' obj/.config
	@! grep -q '^CONFIG_RIGHT=y' obj/.config || sed -i 's/^CONFIG_LEFT=y/# CONFIG_LEFT is not set/' obj/.config
tiny_defconfig:
	@echo CONFIG_A=y > obj/.config
olddefconfig:
	@grep -q '^CONFIG_A=y' obj/.config || sed -i '/^CONFIG_B=/d' obj/.config
obj/%.o: src/%.c
	@echo '  CC      $*.o'
	@cat obj/.config > $@
	@cat $< >> $@
	@if grep -q '^#error' $<; then echo "../$<:1:2: error: #error $*" >&2; $(FAIL)
	@if grep -q '^#full' $<; then echo "cc: No space left on device" >&2; $(FAIL)
	@if grep -q '^#slow' $<; then touch obj/waiting; sleep 60; fi
	@printf 'savedcmd := cc\nsource_$*.o := $<\n  include/linux/kconfig.h\n' > obj/.$*.o.cmd
bzImage: $(SRCS:%=obj/%.o)
	@mkdir -p obj/arch/x86/boot
	@cat $^ $(filter %.cpio %.cpio.gz,$(CONFIG_INITRAMFS_SOURCE)) > obj/arch/x86/boot/bzImage
	@cat $^ > obj/vmlinux
	@echo "ffffffff81000000 T start_kernel" > obj/System.map
"""
_KCONFIG = """
config A
	bool "a"

config B
	bool "b"
	depends on A

choice
	prompt "one of"

config LEFT
	bool "left"

config RIGHT
	bool "right"

endchoice
"""


def make_tree(folder: Path) -> Path:
    """Write the tree; return its folder."""
    for name in ("scripts", "arch/x86", "init", "src"):
        (folder / name).mkdir(parents=True)
    (folder / "Makefile").write_text(_MAKEFILE)
    (folder / "Kconfig").write_text(_KCONFIG)
    for name in ("scripts/Kconfig.include", "init/Kconfig", "arch/x86/Makefile"):
        (folder / name).write_text("")
    # What bootlab counts beforehand; the build itself goes by the Makefile above.
    lines = ("obj-y := one.o two.o", "obj-$(CONFIG_A) += three.o", "obj-$(CONFIG_B) += four.o", "")
    (folder / "src/Makefile").write_text("\n".join(lines))
    for name in ("one", "two", "three"):
        (folder / f"src/{name}.c").write_text(f"int {name};\n")
    return folder


def request(tree: Path, **fields: object) -> KernelBuild:
    """Return a build of a tree with option A, and fields of the caller's."""
    return msgspec.structs.replace(KernelBuild(source=str(tree), options=(("A", "y"),)), **fields)
