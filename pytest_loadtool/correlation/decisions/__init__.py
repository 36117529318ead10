"""What was decided and why, in words; and what a person wants left alone."""
