"""``python -m tests.applications.drive NAME URL``: the session to be recorded."""

from __future__ import annotations

import sys

from tests.applications.application import application

if __name__ == "__main__":
    application(sys.argv[1]).drive(sys.argv[2])
