# SPDX-License-Identifier: MIT
"""What `bootlab board calibrate` makes of the lines that its program printed on a board: a file of costs."""
