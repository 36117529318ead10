"""Credentials and tokens: found, replaced in what people share, kept out of texts."""
