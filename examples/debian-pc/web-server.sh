#!/bin/sh
# SPDX-License-Identifier: MIT
# A Debian web server made faster, from nothing. Usage: web-server.sh FOLDER [SUITE [own-kernel]]
# Makes the image, has its system file written, changes goal and check in it to the first answer of the web server and
# the services of the list, and optimises by the plan beside this script. Interrupted, the same call goes on.
# own-kernel (bookworm only): the kernel may be built from Debian's source, with the image's configuration; it needs what
# building kernels needs (docs/how-to/build-kernels.md) and linux-source-6.1.
set -eu
[ $# -ge 1 ] || { echo "usage: web-server.sh FOLDER [bookworm|trixie [own-kernel]]" >&2; exit 2; }
folder=$1 suite=${2:-bookworm} kernel=${3:-stock} plan=web-server-plan.toml
if [ "$kernel" = own-kernel ]; then
    [ "$suite" = bookworm ] || { echo "web-server.sh: own-kernel is for bookworm" >&2; exit 2; }
    plan=web-server-kernel-plan.toml
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
"$here/make-image.sh" "$suite" "$folder/$suite.raw"
cd "$folder"
if [ ! -f web.toml ]; then
    bootlab new looked-at.toml --from "$suite.raw"
    # The goal that was found is the server's start. A user waits for the page; web-ready.service asks for it.
    sed -e '1,/^\[/s|^application = .*|application = "/usr/local/bin/web-ready"|' \
        -e "/^\[goal\]/,/^\[marks\]/{s|^console = .*|console = 'web: ready, nginx answered 200'|; s|^name = .*|name = \"nginx gave its first answer\"|}" \
        looked-at.toml > web.toml.new
    cat >> web.toml.new <<'END'
# The services of the list may come up behind the answer, but not later than this.
check_s = 8

# What must still work: the page, byte for byte as long as the base's, and the services of the user's list.
[check]
console = [
    'web: ready, nginx answered (\d+), (\d+) bytes',
    'Started cron\.service',
    'Started dbus\.service',
    'Started systemd-logind',
    'Started systemd-journald\.service',
    'Serial Getty on ttyS0',
    'Reached target multi-user\.target',
]
END
    if [ "$kernel" = own-kernel ]; then
        cp "$here/../case-cloud-kernel/kernel.config" kernel.config
        sed -i 's|^image = "looked-at.files/vmlinuz-\([^"]*\)".*|source = "debian"\ndefconfig = "./looked-at.files/config-\1"\nconfig = ["kernel.config"]\nmodules = false\nprebuilt = "looked-at.files/vmlinuz-\1"|' web.toml.new
    fi
    mv web.toml.new web.toml
fi
cp "$here/$plan" plan.toml
bootlab optimize plan.toml --html report.html
