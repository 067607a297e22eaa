# SPDX-License-Identifier: MIT
"""What keeps a run. A verb loads this module while the machine runs: it takes long, and only the end needs it."""

from __future__ import annotations

from bootlab.results.journal import CampaignJournal, CampaignKind, ComparisonJournal, keep_boot

__all__ = ["CampaignJournal", "CampaignKind", "ComparisonJournal", "keep_boot"]
