"""`*.case.toml` and `TestCase`, both ways."""
