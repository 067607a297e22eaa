#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the exact versions, with hashes, that `make` installs: requirements.txt (to build and run) and
# requirements-dev.txt (to test, lint and build the documentation besides), for every Python that pyproject.toml allows.
# Usage: lock.sh [--upgrade]. Run it after a change of the dependencies in pyproject.toml; commit what it writes.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work"
"$work/bin/pip" install -q --disable-pip-version-check "uv>=0.5,<1"
lock() {
    file=$1
    shift
    "$work/bin/uv" pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
        --no-config --custom-compile-command scripts/lock.sh -o "$file" "$@" pyproject.toml
}
lock requirements.txt --extra build "$@"
lock requirements-dev.txt --extra build --extra docs --extra dev "$@"
