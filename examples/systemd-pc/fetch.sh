#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's systemd, udev and D-Bus with what they depend on, unpacked for examples/systemd-pc. Usage: fetch.sh FOLDER
# What only people, package tools and other languages use is taken out again: an initramfs holds all of it in memory.
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$folder/.trimmed" ] && exit 0
"$here/../../scripts/fetch-packages.sh" amd64 "$folder" systemd-sysv udev dbus libpam-systemd
cd "$folder"
rm -rf usr/share/doc usr/share/man usr/share/locale usr/share/info usr/share/perl* usr/share/bash-completion \
    usr/share/zsh usr/share/lintian usr/share/common-licenses usr/share/zoneinfo usr/share/i18n usr/lib/*/perl* \
    usr/lib/*/gconv usr/bin/perl* usr/lib/udev/hwdb.d lib/udev/hwdb.d usr/lib/locale var/cache usr/share/debconf \
    usr/lib/apt usr/share/dpkg usr/lib/*/e2fsprogs usr/share/polkit-1 usr/include lib/modprobe.d
touch .trimmed
echo "trimmed: $(du -sm . | cut -f1) MiB"
