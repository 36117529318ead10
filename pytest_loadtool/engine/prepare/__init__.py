"""From files, environment and keyring to what is ready to run."""
