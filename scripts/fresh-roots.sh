#!/bin/sh
# SPDX-License-Identifier: MIT
# The check before a release: the whole checkout on a fresh minimal Debian 12 and Debian 13 (fresh-root.sh), one log each.
# Usage: fresh-roots.sh LOGS [COMMAND...]   (default: make demo && make check && make test; about two hours on two cores)
# Ends with a summary of both, every skipped test with its reason in it; the exit code is 1 when either failed.
set -eu
[ $# -ge 1 ] || { echo "usage: fresh-roots.sh LOGS [COMMAND...]" >&2; exit 2; }
logs=$1
shift
command=${*:-make demo && make check && make test}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$logs"
failed=0
for suite in bookworm trixie; do
    began=$(date +%s)
    code=0
    "$here/fresh-root.sh" "$suite" "$command" > "$logs/$suite.log" 2>&1 || code=$?
    {
        echo "== $suite: exit code $code after $((($(date +%s) - began) / 60)) min =="
        grep -E '^(SKIPPED|FAILED|ERROR)|^demo: |[0-9]+ (passed|failed).* in ' "$logs/$suite.log" || :
    } | tee "$logs/$suite.summary"
    [ "$code" -eq 0 ] || failed=1
done
exit "$failed"
