"""`--record`, the `record` fixtures, and recording from tests."""
