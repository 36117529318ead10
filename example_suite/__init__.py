"""A real web application, and the test cases recorded from it."""
