"""What is measured, held against what a server has seen itself."""
