# SPDX-License-Identifier: MIT
"""Views: what people and programs see of results. Nothing here boots, measures or decides."""
