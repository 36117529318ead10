"""The tests, under the paths of what they test."""
