"""Failures that no rule was written for."""

from __future__ import annotations

from tests.diagnosis.situations.bench import Situation

UNSEEN: tuple[Situation, ...] = ()
