"""Tests of the embedded example: a load report is compared with its log, so it must be right."""
