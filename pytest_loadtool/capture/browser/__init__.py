"""Chromium, found and started so that all of its traffic is recorded."""
