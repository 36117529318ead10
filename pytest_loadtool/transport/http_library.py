"""httpx, or httpx2, which goes on with it: that one where it is installed.

httpx2 needs h11 0.16 or later, and mitmproxy for Python 3.11 an older one, so this package cannot
depend on it yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpcore as httpcore
    import httpx as httpx
else:
    try:
        import httpcore2 as httpcore
        import httpx2 as httpx
    except ImportError:
        import httpcore  # noqa: F401  for whoever imports it from here
        import httpx  # noqa: F401  likewise
