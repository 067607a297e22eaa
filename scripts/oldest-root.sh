#!/bin/sh
# SPDX-License-Identifier: MIT
# Tries a wheel of wheels.sh on the oldest glibc in Debian's archive: a minimal Debian 11 (glibc 2.31). Debian 11's own Python is
# 3.9, so a newer one is compiled there out of this machine's Debian source package; pip installs the wheel as on any machine.
# Usage: oldest-root.sh WHEEL [COMMAND...]   (a shell's words, in /lab, with the environment's programs first in PATH)
# FOLDER=… in the environment keeps the root in it and takes it again; LAB=… is copied to /lab. QEMU=… is a folder that
# fetch-qemu.sh made: it is copied to its own place there, and its programs come first in PATH (Debian 11's QEMU 5.2 is too old).
# Needs root and Debian's mmdebstrap, as fresh-root.sh does. Exit code 3: no such root here; else the command's own.
set -eu
[ $# -ge 1 ] || { echo "usage: oldest-root.sh WHEEL [COMMAND...]" >&2; exit 2; }
wheel=$1
shift
command=${*:-bootlab --version}
here=$(cd "$(dirname "$0")/.." && pwd)
suite=bullseye
if [ -n "${FOLDER:-}" ]; then
    mkdir -p "$FOLDER"
    folder=$(cd "$FOLDER" && pwd)
else
    folder=$(mktemp -d "${TMPDIR:-/var/tmp}/bootlab-oldest-XXXXXX")
    trap 'rm -rf --one-file-system "$folder"' EXIT
    trap 'exit 130' INT TERM
fi
root=$folder/root
in_root() { ROOT=$root "$here/scripts/fresh-root.sh" "$suite" "$1"; }
if [ ! -x "$root/opt/python/bin/python3" ]; then
    # Any of them will do: what this machine's own release has.
    for version in 3.11 3.13 3.14 none; do
        [ "$version" != none ] || { echo "oldest-root.sh: no source of Python 3.11 or later here" >&2; exit 3; }
        "$here/scripts/debian-source.sh" "python$version" "$folder/python" && break
    done
    in_root "apt-get update -qq && apt-get install -y -qq --no-install-recommends gcc libc6-dev zlib1g-dev libffi-dev libssl-dev \
        libsqlite3-dev liblzma-dev libbz2-dev libexpat1-dev ca-certificates > /dev/null"
    rm -rf "$root/usr/src/python"
    cp -r "$folder/python" "$root/usr/src/python"
    # The expat is Debian 11's; what Debian mended in the module that uses it takes Python's inner headers.
    in_root "cd /usr/src/python && LIBEXPAT_CFLAGS=-DPy_BUILD_CORE_MODULE ./configure -q --prefix=/opt/python --with-system-expat --without-ensurepip > /dev/null &&
        make -s -j2 > /dev/null 2> /var/tmp/words || { tail -n 20 /var/tmp/words; exit 3; }
        make -s install > /dev/null 2>&1 && rm -rf /usr/src/python"
fi
mkdir -p "$root/lab" "$root/var/tmp/wheel"
rm -f "$root"/var/tmp/wheel/*
cp "$wheel" "$root/var/tmp/wheel"
[ -z "${LAB:-}" ] || cp -r "$LAB/." "$root/lab"
path=/opt/bootlab/bin:/usr/local/bin:/usr/bin:/bin
if [ -n "${QEMU:-}" ]; then
    QEMU=$(cd "$QEMU" && pwd)
    [ -d "$root$QEMU" ] || { mkdir -p "$root$(dirname "$QEMU")" && cp -r "$QEMU" "$root$QEMU"; }
    path=$QEMU/bin:$path
fi
# A wheel of pip runs by itself.
[ -n "$(ls "$folder"/pip/pip-*.whl 2>/dev/null)" ] ||
    "$here/.venv/bin/python" -m pip download -q --disable-pip-version-check --no-deps -d "$folder/pip" pip
cp "$folder"/pip/pip-*.whl "$root/var/tmp/"
in_root "rm -rf /opt/bootlab && /opt/python/bin/python3 -m venv --without-pip /opt/bootlab && cd /root/bootlab &&
    pip=\$(ls /var/tmp/pip-*.whl | tail -n 1)/pip &&
    /opt/bootlab/bin/python \$pip install -q --disable-pip-version-check --require-hashes -r requirements.txt &&
    /opt/bootlab/bin/python \$pip install -q --disable-pip-version-check --no-deps --no-index /var/tmp/wheel/*.whl"
in_root "echo \"\$(ldd --version | head -n 1), \$(/opt/bootlab/bin/python --version)\" && cd /lab && PATH=$path && $command"
