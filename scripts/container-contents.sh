#!/bin/sh
# SPDX-License-Identifier: MIT
# Inside the root of a container image (container.sh): installs bootlab's wheel and what it needs at run time.
# Usage: container-contents.sh FOLDER   (that holds the wheel)
set -eu
wheels=$1
# shellcheck disable=SC2086  # words
./scripts/setup-debian.sh run ${BOARDS:+boards}
apt-get install -y -qq --no-install-recommends python3 python3-venv > /dev/null
python3 -m venv /opt/bootlab
/opt/bootlab/bin/pip install -q --disable-pip-version-check --require-hashes -r requirements.txt
/opt/bootlab/bin/pip install -q --disable-pip-version-check --no-deps --no-index "$wheels"/bootlab-*.whl
# maturin builds wheels; nothing here needs it, nor pip.
/opt/bootlab/bin/pip uninstall -q -y maturin pip

share=/usr/share/bootlab
mkdir -p $share/kernel $share/guest
./scripts/fetch-kernel.sh "$PWD/.kernel"
cp -L .kernel/vmlinuz .kernel/config $share/kernel
make -s -C guest
cp -r guest/build $share/guest
cp -r examples $share
mkdir -p -m 1777 /lab
