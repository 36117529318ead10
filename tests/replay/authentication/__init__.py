"""Authentication around a virtual user."""
