#!/bin/sh
# Installs the Debian packages that bootlab needs and that are not there yet. Usage: setup-debian.sh GROUP...
# Groups: run (boot and measure), build (compile bootlab), test (browser tests, the boards of other architectures),
# boards (what ARM, AArch64 and RISC-V systems need besides), kernels (build Linux), filesystems (root images),
# programs (build a root tree's programs). Needs root or sudo only when something is missing.
set -eu

run="qemu-system-x86 busybox-static gcc libc6-dev make lz4 zstd lzop xz-utils util-linux ca-certificates"
build="python3 python3-venv gcc libc6-dev make"
test="chromium procps qemu-system-arm qemu-system-misc"
boards="qemu-system-arm qemu-system-misc gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-aarch64-linux-gnu
    libc6-dev-arm64-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross"
kernels="linux-source-6.1 gcc make bison flex bc patch libelf-dev libssl-dev xz-utils lzop lz4 zstd ccache"
programs="gcc libc6-dev make musl-tools"
filesystems="squashfs-tools erofs-utils e2fsprogs xfsprogs btrfs-progs f2fs-tools mtd-utils fakeroot gcc libc6-dev lz4"

# bookworm's own cargo (1.63) is too old; its security archive carries a current one under another name.
if ! cargo --version 2>/dev/null | awk '{split($2, v, "."); exit !(v[1] > 1 || v[2] >= 85)}'; then
    build="$build cargo-web rustc-web"
fi

wanted=""
for group in "$@"; do
    case "$group" in
    run) wanted="$wanted $run" ;;
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    boards) wanted="$wanted $boards" ;;
    kernels) wanted="$wanted $kernels" ;;
    filesystems) wanted="$wanted $filesystems" ;;
    programs) wanted="$wanted $programs" ;;
    *) echo "setup-debian.sh: no group $group (run, build, test, boards, kernels, filesystems, programs)" >&2; exit 2 ;;
    esac
done

missing=""
for package in $wanted; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "installing Debian packages:$missing"
sudo=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "run as root: apt-get install$missing" >&2; exit 3; }
    sudo="sudo"
fi
$sudo apt-get update -qq
# shellcheck disable=SC2086  # a list of names
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
