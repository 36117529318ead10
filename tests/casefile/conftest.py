"""The broken files in ``golden`` are read by a test, not collected as tests."""

from __future__ import annotations

collect_ignore = ["golden"]
