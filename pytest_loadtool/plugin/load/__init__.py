"""Load configurations as pytest items, in this process and over pytest-xdist."""
