# SPDX-License-Identifier: MIT
"""Times on a noisy clock (boards, emulators in free run): plan, test, interval, power, and what was odd."""
