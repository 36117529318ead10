"""From a test case to a plan, once per process."""
