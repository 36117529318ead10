"""The keys of the Test Case Editor, as tables."""

from __future__ import annotations

from pytest_loadtool.console.screens.detail import TABS
from pytest_loadtool.console.screens.keys import ScreenKey

KEYS = (
    ScreenKey(("enter",), "look into the transaction; again: back", "open", move="open"),
    ScreenKey(("space",), "mark for a command on several", "mark", move="mark"),
    ScreenKey(("/",), "tree: show only what has a text; else: find one", "find", move="search"),
    ScreenKey(("d", "delete"), "delete", "del", line="delete {selected}"),
    ScreenKey(("r",), "rename", "rename", line="rename {number} ", on_page="rename P{page} ",
              ask=True),
    ScreenKey(("t",), "think time of the page", "think", line="think P{page} ", ask=True),
    ScreenKey(("f5",), "play, with think times", "play", line="play"),
    ScreenKey(("f6",), "play without think times", "fast", line="play --fast"),
    ScreenKey(("u",), "undo the last change", "undo", line="undo"),
    ScreenKey(("c-r",), "redo what was undone", "redo", line="redo"),
    ScreenKey((":",), "any command line", "cmd", move="command"),
    ScreenKey(("s",), "save", "save", line="save"),
    ScreenKey(("c",), "configure for replay", "configure", line="configure"),
    ScreenKey(("e",), "edit a field", line="set-field {number} ", ask=True),
    ScreenKey(("!",), "mark as dangerous", line="mark-dangerous {number}"),
    ScreenKey(("S",), "strip static resources", line="strip"),
    ScreenKey(("E",), "explain the dynamic values", line="explain"),
    ScreenKey(("y",), "the request as a curl command", line="curl {number}"),
    ScreenKey(("o",), "open the response in the browser", line="open {number}"),
    ScreenKey(("w",), "why it failed in the replay", "why", line="why {number}", on_page="why"),
    ScreenKey(("f9",), "hold a replay before it, or no longer", "break", line="break {selected}",
              on_page="break {number}"),
    ScreenKey(("f10",), "play step by step", "step", line="play --step"),
    ScreenKey(("f7",), "play without think times up to it", line="play --fast --to {number}"),
    ScreenKey(("L",), "the load configuration: its plot, what it comes to", "load", line="load"),
    ScreenKey(("F",), "find a text in all contents", "find all", line="search ", ask=True),
    ScreenKey(("T",), "where a value comes from, and goes to", line="trace ", ask=True),
    ScreenKey(("P",), "the replays that were kept", line="replays"),
    ScreenKey(("m",), "merge pages", line="merge {pages} ", ask=True),
    ScreenKey(("|",), "split the page: what is at the cursor begins a new one",
              line="split P{page} --at {number}"),
    ScreenKey(("C",), "duplicate", line="duplicate {selected}"),
    ScreenKey(("M",), "move transactions or pages", line="move {selected} ", ask=True),
    ScreenKey(("f4",), "the Navigator: what belongs to the project", "navigator", line="navigator"),
    ScreenKey(("W",), "the wizards", line="wizards"),
    ScreenKey(("f12",), "the session log", "log", line="log"),
    ScreenKey(("up", "k"), "one row up", move="up"),
    ScreenKey(("down", "j"), "one row down", move="down"),
    ScreenKey(("pageup", "c-b"), "a screen up", move="page up"),
    ScreenKey(("pagedown", "c-f"), "a screen down", move="page down"),
    ScreenKey(("home", "g"), "to the beginning", move="home"),
    ScreenKey(("end", "G"), "to the end", move="end"),
    ScreenKey(("{",), "tree: the page before", move="page before"),
    ScreenKey(("}",), "tree: the page behind", move="page behind"),
    ScreenKey(("z", "left", "right"), "fold or unfold the page", move="fold"),
    ScreenKey(("Z",), "fold or unfold all pages", move="fold all"),
    ScreenKey(("tab",), "the next tab", move="next tab"),
    ScreenKey(("s-tab",), "the tab before", move="tab before"),
    *(ScreenKey((str(n),), f"tab {name}", move=f"tab {n}") for n, name in enumerate(TABS, 1)),
    ScreenKey(("[",), "Content: the side before: request, response, replayed", move="side before"),
    ScreenKey(("]",), "Content: the next side", move="next side"),
    ScreenKey(("J", "s-down"), "scroll the right side down", move="scroll down"),
    ScreenKey(("K", "s-up"), "scroll the right side up", move="scroll up"),
    ScreenKey(("n",), "the next place that was found, or difference", move="next found"),
    ScreenKey(("N",), "the place before that was found, or difference", move="found before"),
    ScreenKey(("v",), "Content: pick a value for an actor", "pick", move="pick"),
    ScreenKey(("D",), "the datasets", line="datasets"),
    ScreenKey(("p",), "Content: laid out, or raw", move="raw"),
    ScreenKey(("*",), "show passwords and tokens, or cut them", move="secrets"),
    ScreenKey(("O",), "what the last command said", move="output"),
    ScreenKey(("escape",), "back: out of the right side, a filter, the marks", move="back"),
)  # fmt: skip
"""In the order in which the hint line has room for them."""


FIELD_KEYS = (
    ScreenKey(("enter", "c"), "give the field another value", "value",
              line="set-field {number} {field} --constant {value}", ask=True, form="field"),
    ScreenKey(("d",), "take it from a dataset", "dataset",
              line="set-field {number} {field} --dataset ", ask=True, form="field from a dataset"),
    ScreenKey(("v",), "take it from a user variable", "variable",
              line="set-field {number} {field} --variable ", ask=True,
              form="field from a variable"),
    ScreenKey(("U",), "make it each user's own", "unique", line="unique {value}", ask=True),
    ScreenKey(("f",), "fields of: the transaction, its page, the test case", "fields of",
              move="scope"),
)  # fmt: skip
"""On fields."""

ACTOR_KEYS = (
    ScreenKey(("enter", "e"), "edit the validator or extractor", "edit",
              line="validators {number}", form="actor"),
    ScreenKey(("a",), "a new validator", "validator", line="validate {number} ", ask=True,
              form="validator"),
    ScreenKey(("x",), "a new extractor", "extractor", line="extract {number} ", ask=True,
              form="extractor"),
    ScreenKey(("d", "delete"), "remove it; of the Status Code validator: the usual codes", "remove",
              line="{removal}"),
)  # fmt: skip
"""On validators and extractors."""

PICK_KEYS = (
    ScreenKey(("x",), "make an extractor of what is picked", "extractor",
              line="extract {number} NAME --from {text} --use all", ask=True, form="extractor"),
    ScreenKey(("a",), "make a validator of what is picked", "validator",
              line="validate {number} --from {text}", ask=True, form="validator"),
    ScreenKey(("right", "l"), "the next word", "next", move="next word"),
    ScreenKey(("left", "h"), "the word before", move="word before"),
    ScreenKey(("space",), "take the next word, too", "longer", move="longer"),
    ScreenKey(("v", "escape"), "pick nothing", "no more", move="no pick"),
)  # fmt: skip
"""While a value is picked out of a content."""

TABLES = (KEYS, FIELD_KEYS, ACTOR_KEYS, PICK_KEYS)
