"""From what was decided to the test case, and back."""
