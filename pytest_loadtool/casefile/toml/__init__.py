"""TOML as people write it: positions, schemas, every error at once, comments kept."""
