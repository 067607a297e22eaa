#!/bin/sh
# SPDX-License-Identifier: MIT
# A static busybox for another architecture. Usage: fetch-busybox.sh ARCH FOLDER   (arm, arm64, riscv64)
# Debian's package where Debian 12 has one; for riscv64 built from Debian's source with the cross compiler (a minute).
# Leaves FOLDER/busybox; a second call does nothing.
set -eu
arch=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$folder/busybox" ] && exit 0
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case "$arch" in
arm) debian=armhf ;;
arm64) debian=arm64 ;;
riscv64) debian="" ;;
*) echo "fetch-busybox.sh: no architecture $arch (arm, arm64, riscv64)" >&2; exit 2 ;;
esac
if [ -n "$debian" ]; then
    "$here/foreign-apt.sh" "$debian" busybox-static "$work/tree"
    cp "$work/tree/bin/busybox" "$folder/busybox.new"
else
    command -v riscv64-linux-gnu-gcc >/dev/null || {
        echo "fetch-busybox.sh: apt-get install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross" >&2; exit 3; }
    "$here/debian-source.sh" busybox "$work/source"
    cd "$work"
    make -s -C source ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- defconfig >/dev/null
    # tc does not build with the headers of newer kernels.
    sed -i -e 's/.*CONFIG_STATIC[ =].*/CONFIG_STATIC=y/' -e 's/^CONFIG_TC=y/# CONFIG_TC is not set/' source/.config
    make -s -C source -j"$(nproc)" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- KCONFIG_NOTIMESTAMP=1 busybox \
        > build.log 2>&1 || { tail -20 build.log >&2; exit 3; }
    cp source/busybox "$folder/busybox.new"
fi
mv "$folder/busybox.new" "$folder/busybox"
echo "busybox: $folder/busybox ($arch)"
