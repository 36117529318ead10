"""What oidc-provider 9.13 and oidc-client-ts 3.5 said to one another, from login to logout."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import HeaderValue
from tests.correlation.exchanges import SERVER, html, json_body
from tests.correlation.talk import get, post, requests, run, sources

LOGIN = "sN5qAJdMvWCodDzSw9Yb6g_CT2WNcrCsrjtEP52_dCm"
CONSENT = "IcBk0736g73NgF6c84UJb3KITxllx5NxhLy7q1lf-72"
CODE = "xlvdN7100baIfSC7-iAnGgbFiptCz4Je0SdT80miRhM"
STATE = "95ab4f58e7774f5b99596cc50ad19b37"
NONCE = "4850df92-fa3e-48fd-9e93-78a5ef9c4143"
VERIFIER = (
    "d373ed28d6de490094b1775a866760f7"
    "4c76b37e9f3d43dcb9794e7d3303a7c4"
    "6f7a804c4b1644aeb4f1d7dd9cf3fe78"
)
CHALLENGE = "iV-4tLY0cyXaHJKJdPuGgGbvT5LE3fKhDlIvPcvvwEQ"
ACCESS = (
    "gL3XhXGDNu1tOiDYdTZGKpXKzYJEe0rSwWUKrxBamoF",
    "q1ZlFYAZezXfJputi322pc03ae4pSVcmyfnwYLOdCfh",
)
REFRESH = (
    "pyuF23SrLuPKnid1o9MC_M1EG5cjymqo0AVve4HytfP",
    "l3H516tstStUWto77yl3PzRopZrMhf7qR5Xb0eudYaD",
)
ID_TOKEN = "eyJhbGciOiJSUzI1NiIsImtpZCI6Ijk0NTdkZTVhIn0.eyJzdWIiOiJjYXJvbCJ9.pEzfJ6gAi09MutxtSCQ03m"
XSRF = "5d132ee8036ddb399938259e7c070b585506b9897e59f4d7"


def forward(address: str) -> Exchange:
    """The answer that sends the browser there."""
    return html("", ("Location", address))


def tokens(number: int) -> Exchange:
    """The answer of the token endpoint, for the first time or after a refresh."""
    return json_body(
        {
            "access_token": ACCESS[number],
            "expires_in": 3600,
            "id_token": f"{ID_TOKEN}{number}",
            "refresh_token": REFRESH[number],
            "scope": "openid profile",
            "token_type": "Bearer",
        }
    )


def flow() -> Iterator[Exchange]:
    """Authorization code with PKCE, one renewal, logout."""
    yield get(
        "/oidc/auth?client_id=notes&redirect_uri=http%3A%2F%2Fshop.test%2Fcallback"
        f"&response_type=code&nonce={NONCE}&state={STATE}&code_challenge={CHALLENGE}"
        "&code_challenge_method=S256&prompt=consent",
        forward(f"/oidc/interaction/{LOGIN}"),
        status=303,
    )
    for one, form, after in ((LOGIN, "prompt=login&login=carol", CONSENT), (CONSENT, "", "")):
        page = html(
            f'<form action="{SERVER}/oidc/interaction/{one}" method="post">'
            '<input type="hidden" name="prompt" value="login"/><input type="text" name="login">'
        )
        back = f"{SERVER}/callback?code={CODE}&state={STATE}&iss=http%3A%2F%2Fshop.test%2Foidc"
        yield get(f"/oidc/interaction/{one}", page)
        yield post(
            f"/oidc/interaction/{one}", form, forward(f"{SERVER}/oidc/auth/{one}"), status=303
        )
        target = f"/oidc/interaction/{after}" if after else back
        yield get(f"/oidc/auth/{one}", forward(target), status=303)
    yield get(f"/callback?code={CODE}&state={STATE}&iss=http%3A%2F%2Fshop.test%2Foidc")
    yield post(
        "/oidc/token",
        "grant_type=authorization_code&redirect_uri=http%3A%2F%2Fshop.test%2Fcallback"
        f"&code={CODE}&code_verifier={VERIFIER}&client_id=notes",
        tokens(0),
    )
    yield get("/oidc/me", sent=(("Authorization", f"Bearer {ACCESS[0]}"),))
    yield post("/oidc/token", f"grant_type=refresh_token&refresh_token={REFRESH[0]}", tokens(1))
    yield get("/oidc/me", sent=(("Authorization", f"Bearer {ACCESS[1]}"),))
    ask = html(f'<form action="/"><input type="hidden" name="xsrf" value="{XSRF}"/></form>')
    yield get(f"/oidc/session/end?id_token_hint={ID_TOKEN}1", ask)
    yield post("/oidc/session/end/confirm", f"xsrf={XSRF}&logout=yes", forward(f"{SERVER}/"))


def test_every_value_is_taken_from_where_it_comes() -> None:
    """Ids of the login in paths, the code, tokens, the renewed ones; what the client makes up."""
    configuration = run(*flow())
    assert requests(configuration) == [
        "/oidc/auth?client_id=notes&redirect_uri=http%3A%2F%2Fshop.test%2Fcallback"
        "&response_type=code&nonce=${nonce[1]}&state=${state[1]}"
        "&code_challenge=${code_verifier[1]|s256}&code_challenge_method=S256&prompt=consent",
        "/oidc/interaction/${interaction_id[1]}",
        "/oidc/interaction/${interaction_id[1]} prompt=login&login=carol",
        "/oidc/auth/${interaction_id[1]}",
        "/oidc/interaction/${interaction_id[2]}",
        "/oidc/interaction/${interaction_id[2]}",
        "/oidc/auth/${interaction_id[2]}",
        "/callback?code=${code[1]}&state=${state[1]}&iss=http%3A%2F%2Fshop.test%2Foidc",
        "/oidc/token grant_type=authorization_code"
        "&redirect_uri=http%3A%2F%2Fshop.test%2Fcallback&code=${code[1]}"
        "&code_verifier=${code_verifier[1]}&client_id=notes",
        "/oidc/me Bearer ${bearer_token[1]}",
        "/oidc/token grant_type=refresh_token&refresh_token=${refresh_token[1]}",
        "/oidc/me Bearer ${bearer_token[2]}",
        "/oidc/session/end?id_token_hint=${id_token[1]}",
        "/oidc/session/end/confirm xsrf=${xsrf[1]}&logout=yes",
    ]


def test_the_code_is_found_on_another_server() -> None:
    """Nothing of the recorded server's address is in the extractor."""
    (source,) = (one for name, one, _ in sources(run(*flow())) if name == "code[1]")
    assert source == HeaderValue("Location", r"/callback\?code=([^/?#&;]+)")
