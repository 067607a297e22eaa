#!/bin/sh
# SPDX-License-Identifier: MIT
# TF-A for QEMU's machine virt, with Debian's U-Boot behind it, in one image. Usage: build-tfa.sh FOLDER [op-tee]
# From Debian's sources of arm-trusted-firmware; U-Boot is Debian's package u-boot-qemu. Leaves FOLDER/flash.bin, for
# [machine] options = ["secure=on"] and [loader] image. A second call does nothing.
# op-tee: with OP-TEE before U-Boot, which is Debian 13's package optee-os (Debian 12 has none). It wants another
# interrupt controller: [machine] options = ["secure=on", "gic-version=3"].
set -eu
folder=$1 tee=${2:-}
case "$tee" in "" | op-tee) ;; *) echo "build-tfa.sh: build-tfa.sh FOLDER [op-tee]" >&2; exit 2 ;; esac
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$folder/flash.bin" ] && exit 0
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
u_boot=/usr/lib/u-boot/qemu_arm64/u-boot.bin
[ -f "$u_boot" ] || { echo "build-tfa.sh: apt-get install u-boot-qemu" >&2; exit 3; }
command -v aarch64-linux-gnu-gcc >/dev/null || { echo "build-tfa.sh: apt-get install gcc-aarch64-linux-gnu" >&2; exit 3; }
"$here/debian-source.sh" arm-trusted-firmware "$folder/source"
set --
if [ -n "$tee" ]; then
    SUITE=trixie "$here/fetch-packages.sh" arm64 "$folder/optee" optee-os
    parts=$folder/optee/usr/lib/optee/vexpress-qemu_armv8a
    set -- SPD=opteed BL32_RAM_LOCATION=tdram QEMU_USE_GIC_DRIVER=QEMU_GICV3 BL32="$parts/tee-header_v2.bin" \
        BL32_EXTRA1="$parts/tee-pager_v2.bin" BL32_EXTRA2="$parts/tee-pageable_v2.bin"
fi
# Newer linkers warn of segments that can be written and executed, and warnings are errors.
TF_LDFLAGS=--no-warn-rwx-segments make -s -C "$folder/source" -j"$(nproc)" CROSS_COMPILE=aarch64-linux-gnu- PLAT=qemu BL33="$u_boot" \
    BUILD_MESSAGE_TIMESTAMP='"none"' BUILD_STRING=Debian "$@" all fip > "$folder/build.log" 2>&1 || { tail -20 "$folder/build.log" >&2; exit 3; }
# BL1 at the start of the flash, the rest where it looks for it (plat/qemu/common/include/platform_def.h).
cp "$folder/source/build/qemu/release/bl1.bin" "$folder/flash.new"
dd if="$folder/source/build/qemu/release/fip.bin" of="$folder/flash.new" bs=4096 seek=64 conv=notrunc status=none
mv "$folder/flash.new" "$folder/flash.bin"
echo "tf-a: $folder/flash.bin"
