#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's musl (headers, start files, libraries) for another architecture, for programs built with libc = "musl".
# Usage: fetch-musl.sh ARCH [FOLDER]   (arm, arm64, riscv64 where Debian has it; FOLDER: $BOOTLAB_MUSL, else bootlab's cache)
# Leaves FOLDER/ARCH; the machine's own packages stay as they are. A second call does nothing.
set -eu
arch=$1
folder=${2:-${BOOTLAB_MUSL:-${BOOTLAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/bootlab}/musl}}
here=$(cd "$(dirname "$0")" && pwd)
case "$arch" in
arm) debian=armhf ;;
arm64 | riscv64) debian=$arch ;;
x86_64) debian=amd64 ;;
*) echo "fetch-musl.sh: no architecture $arch (arm, arm64, riscv64, x86_64)" >&2; exit 2 ;;
esac
[ -d "$folder/$arch" ] && exit 0
mkdir -p "$folder"
new=$(mktemp -d "$folder/.new-XXXXXX")
trap 'rm -rf "$new"' EXIT
for package in musl-dev musl; do
    "$here/foreign-apt.sh" "$debian" "$package" "$new/tree"
done
mv "$new/tree" "$folder/$arch"
echo "musl: $folder/$arch"
