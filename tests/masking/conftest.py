"""What tests of this room share with those of correlation: recorded sessions of an application."""

from tests.correlation.conftest import recorded, serve

__all__ = ["recorded", "serve"]
