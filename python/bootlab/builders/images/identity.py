"""What an image is known by: one UUID for all, so that the same tree always gives the same bytes."""

from __future__ import annotations

UUID = "b0071ab0-0000-4000-8000-000000000000"
