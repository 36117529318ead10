"""Results as HTML pages, each one file that needs no other: plain data in, text out.

What a page shows was decided elsewhere. Everything in it is escaped, for it shows what servers have
answered; a content security policy lets its own script run and nothing else.
"""
