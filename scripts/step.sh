#!/bin/sh
# SPDX-License-Identifier: MIT
# Says what a long step of the set-up does and about how long that takes, runs it, and says how long it took.
# Usage: step.sh "WHAT (ABOUT HOW LONG)" COMMAND...
# What it says goes to stderr, so that a pipe gets the command's own words. The exit code is the command's.
set -eu
what=$1
shift
began=$(date +%s)
echo "bootlab: $what ..." >&2
code=0
"$@" || code=$?
took=$(($(date +%s) - began))
if [ "$code" -eq 0 ]; then
    echo "bootlab: ${what%% (*}: done in $took s" >&2
else
    echo "bootlab: ${what%% (*}: failed with exit code $code after $took s: $*" >&2
fi
exit "$code"
