"""When iterations begin, and how fast bytes go."""
