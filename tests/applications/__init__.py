"""Applications that nobody here wrote: installed, recorded, configured, replayed and loaded.

``python -m tests.applications`` does it and prints a table. What an application has to have is in
`application`.
"""
