"""Tests of pages, in real browsers."""
