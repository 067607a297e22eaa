#!/bin/sh
# SPDX-License-Identifier: MIT
# A Debian web server made faster, from nothing. Usage: web-server.sh FOLDER [SUITE]
# Makes the image, has its system file written, changes goal and check in it to the first answer of the web server and
# the services of the list, and optimises by the plan beside this script. Interrupted, the same call goes on.
set -eu
[ $# -ge 1 ] || { echo "usage: web-server.sh FOLDER [bookworm|trixie]" >&2; exit 2; }
folder=$1 suite=${2:-bookworm}
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
    mv web.toml.new web.toml
fi
cp "$here/web-server-plan.toml" plan.toml
bootlab optimize plan.toml --html report.html
