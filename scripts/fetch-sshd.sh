#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks Debian's ssh server into a folder, without installing it (which would start it), for the test of `[ssh]` boards.
# Usage: fetch-sshd.sh [FOLDER]   (default: .cache/sshd)
set -eu
folder=${1:-$(dirname "$0")/../.cache/sshd}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download -qq openssh-server libwrap0 2>/dev/null || { apt-get update -qq && apt-get download -qq openssh-server libwrap0; }
for package in *.deb; do dpkg -x "$package" "$folder"; done
test -x "$folder/usr/sbin/sshd"
