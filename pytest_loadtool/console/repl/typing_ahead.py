"""Keys that were typed before anybody asked for them: they are for whoever reads the next line."""

from __future__ import annotations

from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyPress


def keep_typed(keys: Input) -> list[KeyPress]:
    """Keep what has been typed until now for the next prompt, and return it."""
    ahead = [*get_typeahead(keys), *keys.read_keys()]
    store_typeahead(keys, ahead)
    return ahead
