"""Flattened JSON: what devalue 5 and turbo-stream 2 have written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_loadtool.codec.events import json_or_events
from pytest_loadtool.codec.flattened import expanded

#: Of devalue: two things of which one is there twice, and what JSON has not.
_DEVALUE = (
    r'[{"notes":1,"again":2,"nothing":8,"un":-1,"at":9,"set":10,"map":13,"big":15,"nan":-3,'
    r'"neg":16,"hole":17,"yes":19,"url":20,"re":21},[2,5],{"id":3,"name":4},7,"Tea \"& milk\"",'
    r'{"id":6,"name":7},40,"x",null,["Date","1970-01-01T00:00:00.000Z"],["Set",11,12],1,"a",'
    r'["Map",14,2],"k",["BigInt","12345678901234567890"],-3,[11,-2,18],3,true,'
    r'["URL","http://a.example/b"],["RegExp","a+","g"]]'
)
_TEA = {"id": 7, "name": 'Tea "& milk"'}
#: Of turbo-stream, with a promise that was kept later.
_STREAM = (
    '[{"_1":2},"a",{"_3":4,"_5":6,"_7":-5,"_8":-7,"_9":10,"_11":12,"_13":14,"_15":16},"id",5,"at",'
    '["D",0],"n","u","set",["S",19],"map",["M",17,18],"later",["P",14],"b",["B","10"],"k",2,1]\n'
    'P14:[{"_3":21,"_22":23},9,"deep",[19,24],{"_25":26},"x","y"]\n'
)


def test_action_of_sveltekit() -> None:
    """What an action returns is a text in the answer."""
    text = json.dumps({"type": "success", "status": 200, "data": _DEVALUE})
    assert json_or_events(text)["data"] == {
        "notes": [_TEA, {"id": 40, "name": "x"}], "again": _TEA, "nothing": None, "un": None,
        "at": "1970-01-01T00:00:00.000Z", "set": [1, "a"], "map": {"k": _TEA},
        "big": "12345678901234567890", "nan": None, "neg": -3, "hole": [1, None, 3], "yes": True,
        "url": "http://a.example/b", "re": "a+",
    }  # fmt: skip


def test_data_of_sveltekit() -> None:
    """Each node of a page has a list of its own."""
    nodes = [{"type": "skip"}, {"type": "data", "data": json.loads(_DEVALUE), "uses": {}}, None]
    read = json_or_events(json.dumps({"type": "data", "nodes": nodes}))
    assert read["nodes"][1]["data"]["again"] == _TEA
    assert (read["nodes"][0], read["nodes"][2]) == ({"type": "skip"}, None)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('[{"name":1,"self":0},"loop"]', {"name": "loop", "self": None}),
        ('["just a text"]', "just a text"),
        ("[[]]", []),
        ('[["null","a",1],1]', {"a": 1}),
    ],
)
def test_less_usual(written: str, read: Any) -> None:
    """What is within itself, no object at all, and an object without a prototype."""
    assert expanded({"type": "success", "data": written})["data"] == read


def test_payload_of_nuxt() -> None:
    """It says at its beginning what it is."""
    text = '[["ShallowReactive",1],{"data":2},["ShallowReactive",3],{"a":4},[5],{"id":6},40]'
    assert json_or_events(text) == {"data": {"a": [{"id": 40}]}}


def test_stream_of_react_router() -> None:
    """Names are places, too; what came later is where it was waited for."""
    assert json_or_events(_STREAM)["a"] == {
        "id": 5, "at": 0, "n": None, "u": None, "set": [1], "map": {"k": 2}, "b": "10",
        "later": {"id": 9, "deep": [1, {"x": "y"}]},
    }  # fmt: skip


@pytest.mark.parametrize(
    "document",
    [
        [[1], [2]], [{"a": 1}, 5], [{"id": 1, "name": "Tea"}], [["Tea", 1], ["Milk", 0]],
        [{"_1": 2}, "a"], [{"_1": 2}, "a", 3, 4], [{}], [], [["Reactive", 5]],
        {"type": "data", "nodes": 5}, {"type": "data", "data": "[1"}, {"type": 5, "data": "[1]"},
        {"type": "order", "data": '["a", "b"]'},
    ],
)  # fmt: skip
def test_other_documents(document: Any) -> None:
    """What only looks like it stays as it is."""
    assert json_or_events(json.dumps(document)) == document


def test_more_than_is_read() -> None:
    """A short text may stand for more than there is room for."""
    text = json.dumps([["Reactive", 1], *([at + 2, at + 2] for at in range(40)), "end"])
    assert json_or_events(text) == json.loads(text)
