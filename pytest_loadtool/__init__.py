"""pytest-loadtool: record once, gate every commit, load-test at scale, all in pytest.

This module is imported in every pytest run, used or not, so it imports nothing.
"""

__version__ = "0.1.0"
__all__ = ["__version__"]
