# SPDX-License-Identifier: MIT
"""`python -m bootlab`: the same program, for whom `bootlab` is not on the PATH."""

from bootlab.cli.__main__ import program

if __name__ == "__main__":
    program()
