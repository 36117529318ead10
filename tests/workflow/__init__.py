"""The service room: what the console, `record` and `--record-from-tests` share."""
