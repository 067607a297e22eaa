# SPDX-License-Identifier: MIT
"""Forges (GitHub, GitLab): a comment on the pull or merge request that a job runs for."""
