"""What validators look for, each with a response that has it and one that does not."""

from __future__ import annotations

import pytest

from tests.plugin.serving import Server, case, transaction, write

#: By what is looked for: a validator that an echo of ann's name satisfies, one that it does not,
#: and the failure.
VALIDATORS = {
    "text": (
        'validators = [{ text = "name=ann" }]',
        'validators = [{ text = "name=bert" }]',
        "Search text not found: 'name=bert'",
    ),
    "dataset field, as a text": (
        'validators = [{ text = "name=${users.name}" }]',
        'validators = [{ text = "name=${users.other}" }]',
        "Search text not found: 'name=${users.other}'",
    ),
    "dataset field, as a JSON value": (
        "validators = [{ json = '$.body', equals = 'name=${users.name}' }]",
        "validators = [{ json = '$.body', equals = 'name=${users.other}' }]",
        "$.body is name=ann, expected name=bert",
    ),
    "JSON value that is not there": (
        "validators = [{ json = '$.nothing', absent = true }]",
        "validators = [{ json = '$.nothing', equals = 2 }]",
        "JSON path $.nothing = 2: not found",
    ),
    "regular expression": (
        "validators = [{ regex = 'name=[a-n]{3}\\b' }]",
        "validators = [{ regex = 'name=[a-m]{3}\\b' }]",
        "Regular expression does not match: 'name=[a-m]{3}\\\\b'",
    ),
    "status code": ("status = 200", "status = [201, 204]", "Status Code is 200, expected 201, 204"),
}


@pytest.mark.promise(41)
@pytest.mark.promise(42)
@pytest.mark.parametrize("looked_for", VALIDATORS)
def test_validators(pytester: pytest.Pytester, server: Server, looked_for: str) -> None:
    """Each has its type and the value it expects, and a failure tells both."""
    good, bad, message = VALIDATORS[looked_for]
    (pytester.path / "users.csv").write_text("name,other\nann,bert\n")
    users = '[datasets.users]\nfile = "users.csv"\n'
    for name, validators in {"good": good, "bad": bad}.items():
        write(
            pytester,
            name,
            case(
                server.url,
                transaction("POST /echo", "body = 'name=${users.name}'", validators, users),
            ),
        )
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"  {message.translate(ESCAPED)}*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


#: Brackets mean something to fnmatch.
ESCAPED = str.maketrans({"[": "[[]"})


@pytest.mark.parametrize(("limit", "passed"), [("1 MB", 0), ("2 MB", 1)])
def test_bodies_that_are_not_kept(
    pytester: pytest.Pytester, server: Server, limit: str, passed: int
) -> None:
    """What would look into one fails and says which setting helps."""
    pytester.makeini(f"[pytest]\nloadtool_body_limit = {limit}\n")
    body, validator = f"body = '{'x' * (1 << 20)}y'", 'validators = [{ text = "xy" }]'
    write(pytester, "large", case(server.url, transaction("POST /echo", body, validator)))
    result = pytester.runpytest()
    result.assert_outcomes(passed=passed, failed=1 - passed)
    if not passed:
        result.stdout.fnmatch_lines(["*body of more than 1 MB, which is not kept*"])
        result.stdout.fnmatch_lines(["*raise body_limit (in an ini file loadtool_body_limit)*"])


def test_a_limit_that_is_no_size(pytester: pytest.Pytester) -> None:
    """It is said before anything is sent."""
    pytester.makeini("[pytest]\nloadtool_body_limit = large\n")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*loadtool_body_limit: expected a size such as*"])
