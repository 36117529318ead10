"""Sessions that a generator makes up, to count what configuring finds of them, and what wrongly.

A session has a structure and a draw, each made of a seed. The structure is what the application and
its user do: the addresses, the names of fields, what is typed. The draw is what a server makes up:
where its sequences begin, tokens, codes, what others have on it and the order of its lists. So two
draws of a structure are the same session on two servers, and what differs in their requests is what
has to be correlated; all else is constant.
"""
