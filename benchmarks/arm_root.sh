#!/bin/sh
# SPDX-License-Identifier: MIT
# bootlab and QEMU inside an arm64 root of Debian 13 with its backports, on an x86-64 machine: every program in it runs under
# qemu-aarch64 (Debian's qemu-user). Usage: arm_root.sh FOLDER COMMAND...   for a shell in the root, in its folder /lab
# Makes FOLDER/root at the first call: packages, Python packages, bootlab of this checkout with its core compiled for arm64.
# Nothing is installed here and nothing registered: the kernel learns of qemu-aarch64 in a user namespace of its own, which ends
# with the command (Linux 6.7 or later). Needs root, rustup's or Debian's aarch64 library of Rust, gcc-aarch64-linux-gnu, unzip.
#
#   benchmarks/arm_root.py make LAB --kernel .cache/kernel-arm64 --busybox .cache/busybox-arm64/busybox
#   benchmarks/arm_root.py boot LAB --out rows.json                                  # on this machine, QEMU of its PATH
#   benchmarks/arm_root.sh FOLDER true; cp LAB/* benchmarks/arm_root.py benchmarks/kept_rows.py rows.json FOLDER/root/lab
#   benchmarks/arm_root.sh FOLDER python3 arm_root.py boot . --out rows.json
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
root=$folder/root user=$folder/user
packages="base-files bash coreutils dash sed grep mawk findutils tar gzip xz-utils zstd lz4 python3 gcc libc6-dev make util-linux
    busybox-static qemu-system-x86 qemu-system-arm qemu-system-misc qemu-system-riscv? seabios qemu-system-data e2fsprogs ca-certificates"
# shellcheck disable=SC2086  # a list of names
SUITE=trixie-backports "$here/scripts/fetch-packages.sh" arm64 "$root" $packages
SUITE=trixie-backports "$here/scripts/fetch-packages.sh" amd64 "$user" qemu-user
site=$root/usr/local/lib/python3.13/dist-packages
if [ ! -d "$site/bootlab" ]; then
    # What Debian's packages make when they are set up.
    mkdir -p "$root/lab" "$site"
    [ -e "$root/etc/passwd" ] || echo 'root:x:0:0:root:/root:/bin/sh' > "$root/etc/passwd"
    [ -e "$root/etc/group" ] || echo 'root:x:0:' > "$root/etc/group"
    [ -e "$root/bin/sh" ] || ln -s dash "$root/bin/sh"
    [ -e "$root/usr/bin/cc" ] || ln -s gcc "$root/usr/bin/cc"
    "$here/.venv/bin/pip" download -q --no-deps --only-binary=:all: --python-version 3.13 --platform manylinux2014_aarch64 \
        --platform manylinux_2_28_aarch64 -r "$here/requirements.txt" -d "$folder/wheels"
    for wheel in "$folder"/wheels/*.whl; do
        case $wheel in */maturin-*) ;; *) unzip -qo "$wheel" -d "$site" ;; esac
    done
    (
        cd "$here"
        CARGO_TARGET_DIR=$folder/target CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
            PYO3_BUILD_EXTENSION_MODULE=1 PYO3_CROSS=1 PYO3_CROSS_PYTHON_VERSION=3.11 \
            cargo build --locked --profile quick -p bootlab-python --target aarch64-unknown-linux-gnu
    )
    cp -rL "$here/python/bootlab" "$site/bootlab.new"
    rm -f "$site"/bootlab.new/_core*.so
    cp "$folder/target/aarch64-unknown-linux-gnu/quick/lib_core.so" "$site/bootlab.new/_core.abi3.so"
    mv "$site/bootlab.new" "$site/bootlab"
fi
mkdir -p "$folder/binfmt"
export root folder command="$*" program="$user/usr/bin/qemu-aarch64"
# shellcheck disable=SC2016  # expanded by the inner shell
exec unshare --user --map-root-user --mount --pid --fork --kill-child sh -c '
set -eu
mount -t binfmt_misc none "$folder/binfmt"
magic="\\x7fELF\\x02\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\x00\\xb7\\x00"
mask="\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xfe\\xff\\xff\\xff"
printf "%s" ":qemu-aarch64:M::$magic:$mask:$program:OCF" > "$folder/binfmt/register"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
exec env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    chroot "$root" sh -c "cd /lab && $command"
'
