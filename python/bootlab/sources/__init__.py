# SPDX-License-Identifier: MIT
"""What people have, looked at: images, device trees, media, trees, folders of build systems, boot logs; to facts."""
