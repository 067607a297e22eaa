# SPDX-License-Identifier: MIT
"""Why a boot failed, in a sentence, and what to try next."""
