"""`*.load.toml` and `LoadConfiguration`, both ways."""
