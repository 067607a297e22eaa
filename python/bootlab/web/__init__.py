# SPDX-License-Identifier: MIT
"""The history and the reports as a small web application: `bootlab serve`."""
