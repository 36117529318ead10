"""Test cases for other tools: what is written is run, against a server that knows what it was
asked."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from pytest_loadtool.casefile import parse_case
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.editing.curl_script import curl_script
from pytest_loadtool.editing.k6_script import k6_script
from pytest_loadtool.workflow.document import Document
from tests.casefile.test_docs import EXAMPLES
from tests.console.listener import Listener, do
from tests.plugin.serving import Server, serving

#: What k6 has, with curl for its requests: enough to run what is written for it.
K6 = r"""
import { execFileSync } from 'child_process';
import { readFileSync } from 'fs';
globalThis.__ENV = process.env;
globalThis.failed = [];
export const check = (value, checks) => {
  const wrong = Object.keys(checks).filter((name) => !checks[name](value));
  failed.push(...wrong);
  return wrong.length === 0;
};
export const group = (name, act) => act();
export const sleep = () => undefined;
const request = (method, url, body, options) => {
  const given = Object.entries(options.headers).flatMap((pair) => ['-H', pair.join(': ')]);
  const sent = body === null ? [] : ['--data-raw', body];
  const out = execFileSync('curl', ['-gsi', '-X', method, ...given, ...sent, url]).toString();
  const [head, ...rest] = out.split('\r\n\r\n');
  const [first, ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/s)));
  return { status: Number(first.split(' ')[1]), headers, cookies: {}, body: rest.join('\r\n\r\n') };
};
export default { request, scenario: { iterationInTest: 1 } };
"""

CASE = """
format = 1
name = "Shop */ of ours"
server = "SERVER"

[flows.twice]
repeat = 2

[datasets.people]
file = "people.json"

[[page]]
name = "Sign in"
once = "start"

[[page.transaction]]
request = "GET /form"
extractors = [
  { variable = "token", regex = 'value="([^"]*)"' },
  { variable = "row", form = "token", in_item = "x" },
]
validators = [{ text = "<form>" }, { xml = "//a" }]

[[page.transaction]]
request = "POST /login"
headers = ["Content-Type: application/x-www-form-urlencoded"]
body = "token=${token}&password=hunter2-x"
validators = [{ text = "Forbidden", absent = true }]

[[page]]
name = "Look"
think_time = "2s"

[[page.transaction]]
request = "POST /echo?size=${size}"
headers = ["X-Api-Key: k3y-of-ours", "Content-Type: application/json"]
body = '{"who": "${people.name}", "number": ${number}}'
extractors = [
  { variable = "sent", json = "$.body" },
  { variable = "kind", header = "Content-Type", pattern = '(\\w+)/' },
]
validators = [{ json = "$.headers['Content-Type']", equals = "application/json" }]

[[page.transaction]]
request = "GET /items/${kind}?sent=${sent}&who=${people.name}&row=${row}"
flow = "twice"

[variables]
size = "0 0"
number = { env = "NUMBER" }
row = "r"
"""

PEOPLE = '[{"name": "bert", "password": "b-secret"}, {"name": "an \\"na", "password": "a-secret"}]'
SECRETS = ("hunter2-x", "k3y-of-ours", "a-secret", "b-secret")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def shop(session: Console, server: Server, tmp_path: Path) -> Console:
    """A console with a test case that uses much of what there is."""
    (tmp_path / "people.json").write_text(PEOPLE)
    case = parse_case(CASE.replace("SERVER", server.url), "x")
    session.document = Document(case, ())
    return session


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_script_of_k6_does_what_the_test_case_does(
    shop: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """With values of JSON, patterns and headers, written as their places need it; what it cannot
    say is listed with its line; secrets are of the environment."""
    do(shop, "export k6 --file shop.k6.js")
    text = (tmp_path / "shop.k6.js").read_text()
    assert not [one for one in SECRETS if one in text]
    assert "hunter2-x" in CASE
    left = [line.strip() for line in listener.said if "left out" in line]
    assert left == [f"left out, line {line}: {what}" for line, what in LEFT]
    assert [f"// Left out, line {line}: {what}" for line, what in LEFT] == [
        line for line in text.splitlines() if line.startswith("// Left out")
    ]
    (tmp_path / "k6.mjs").write_text(K6)
    runs = re.sub(r"from 'k6(/\w+)?'", "from './k6.mjs'", text)
    runs = runs.replace("export default function ()", "function work()")
    (tmp_path / "run.mjs").write_text(f"{runs}\nwork();\nconsole.log(JSON.stringify(failed));\n")
    keys = re.findall(r"__ENV\[\"(\w+)\"\]", text)
    assert sorted({*keys} - {"NUMBER"}) == ["SHOP_PASSWORD", "SHOP_X_API_KEY"]
    values = {**dict.fromkeys(keys, "x"), "NUMBER": "7"}
    assert json.loads(run("node", str(tmp_path / "run.mjs"), **values)) == []
    body = '{"who": "an \\"na", "number": 7}'
    assert server.requests == [
        "GET /form",
        "POST /login",
        "POST /echo?size=0%200",
        f"GET /items/application?sent={quote(body, safe='()*!~')}&who=an%20%22na&row=r",
    ]


LEFT = [
    (16, "page 'Sign in' is done once: it is done in each iteration here"),
    (16, "GET /form: a validator of xml"),
    (16, "GET /form: ${row} is taken by form field 'token' in the item of 'x': take it by hand"),
    (44, "GET /items/${kind}: it stands in the flow 'twice', and is done once"),
]


def test_script_with_secrets_has_them(shop: Console, tmp_path: Path) -> None:
    """For its owner alone."""
    do(shop, "export k6 --file shop.k6.js --secrets")
    path = tmp_path / "shop.k6.js"
    assert [one for one in SECRETS if one in path.read_text()] == list(SECRETS)
    assert path.stat().st_mode & 0o077 == 0


def test_commands_of_curl_are_sent(
    shop: Console, server: Server, listener: Listener, tmp_path: Path
) -> None:
    """By curl itself, from a shell, with what its variables have."""
    do(shop, "export curl 1-2 4 --file shop.sh")
    text = (tmp_path / "shop.sh").read_text()
    assert not [one for one in SECRETS if one in text]
    assert "# token='…'  # regular expression" in text
    assert any("line 16: GET /form: ${token} is to be filled in" in one for one in listener.said)
    filled = {
        "token": server.token,
        "kind": "a",
        "sent": "b",
        "people_name": "it's",
        "SHOP_PASSWORD": "p",
    }
    said = run("sh", str(tmp_path / "shop.sh"), **filled)
    assert server.requests == ["GET /form", "POST /login", "GET /items/a?sent=b&who=it's&row=r"]
    assert re.findall(r"HTTP/1.1 (\d+)", said) == ["200"] * 3


@pytest.mark.parametrize(
    "text", [text for _, kind, text in EXAMPLES if kind == "toml case"], ids=lambda text: text[:0]
)
def test_every_example_is_a_script(text: str, tmp_path: Path) -> None:
    """Node parses it."""
    case = parse_case(text, "x")
    rows = {use.name: [{"a": "b"}] for use in case.datasets}
    path = tmp_path / "x.mjs"
    path.write_text(k6_script(case, rows).text)
    run("node", "--check", str(path))


def test_other_tools_are_refused(shop: Console) -> None:
    """With those that there are."""
    with pytest.raises(UsageError, match="KIND is one of curl, k6, not 'locust'"):
        do(shop, "export locust")


def test_the_name_of_a_variable_is_no_command(tmp_path: Path) -> None:
    """Somebody else's test case says what stands in a script, and not what the shell runs."""
    made = tmp_path / "made"
    case = parse_case(
        'format = 1\nname = "x"\nserver = "http://127.0.0.1:1"\n[[page]]\nname = "p"\n'
        '[[page.transaction]]\nrequest = "GET /${other}"\n'
        f"[variables]\nother = {{ env = 'A:-$(touch {made})' }}\n",
        "x.case.toml",
    )
    script = curl_script(case, case.transactions())
    subprocess.run(["sh", "-c", script.text], check=False, capture_output=True, timeout=60)
    assert "other=${other:-}" in script.text
    assert not made.exists()
