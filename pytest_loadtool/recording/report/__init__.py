"""What a recording says about itself: fidelity, failures, what is not in the test case."""
