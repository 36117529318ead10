"""Roundup's tracker in the folder that TRACKER names, for a WSGI server."""

import os

from roundup.cgi.wsgi_handler import RequestDispatcher  # type: ignore[import-not-found]

application = RequestDispatcher(os.environ["TRACKER"])
