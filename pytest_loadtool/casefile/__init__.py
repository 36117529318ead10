"""Files and the model: test cases and load configurations in TOML, traffic as HAR, datasets as CSV
and JSON.

This is the one room of the middle that opens files. Nothing may enter that runs, records or judges
a test case: it knows the formats, what must hold inside one file, and how to say what is wrong.
Importing it imports none of the large libraries.
"""

from __future__ import annotations

from pytest_loadtool.casefile.case.extractors import extractor_pairs, parse_extractor
from pytest_loadtool.casefile.case.flows import parse_flow
from pytest_loadtool.casefile.case.reader import parse_case, read_case
from pytest_loadtool.casefile.case.validators import parse_validator, validator_pairs
from pytest_loadtool.casefile.case.writer import format_case
from pytest_loadtool.casefile.dataset import (
    format_dataset,
    known_columns,
    parse_dataset,
    read_dataset,
    save_dataset,
)
from pytest_loadtool.casefile.har.reader import (
    har_comment,
    parse_har,
    read_decisions,
    read_har,
    read_troubles,
)
from pytest_loadtool.casefile.har.writer import HarWriter, write_decisions
from pytest_loadtool.casefile.http_text import parse_exchange, read_exchange
from pytest_loadtool.casefile.load.reader import parse_load, read_load
from pytest_loadtool.casefile.load.writer import format_load
from pytest_loadtool.casefile.quantities import (
    format_duration,
    format_share,
    parse_duration,
    parse_share,
)
from pytest_loadtool.casefile.rules import case_rules, package_rules, parse_rules, read_rules
from pytest_loadtool.casefile.saving import save_case, save_load

__all__ = [
    "HarWriter",
    "case_rules",
    "extractor_pairs",
    "format_case",
    "format_dataset",
    "format_duration",
    "format_load",
    "format_share",
    "har_comment",
    "known_columns",
    "package_rules",
    "parse_case",
    "parse_dataset",
    "parse_duration",
    "parse_exchange",
    "parse_extractor",
    "parse_flow",
    "parse_har",
    "parse_load",
    "parse_rules",
    "parse_share",
    "parse_validator",
    "read_case",
    "read_dataset",
    "read_decisions",
    "read_exchange",
    "read_har",
    "read_load",
    "read_rules",
    "read_troubles",
    "save_case",
    "save_dataset",
    "save_load",
    "validator_pairs",
    "write_decisions",
]
