"""The rules of application state management, as data.

A rule says where a value is used (``places``, ``used_as``), where it comes from (``kinds``,
``produced_as``) and which evidence it must have. Rules are tried in order, the most trusted first:
names that are known, then forms, redirects and links, then any value that looks random.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_loadtool.correlation.looks import same_name
from pytest_loadtool.correlation.producers import Kind
from pytest_loadtool.model.place import Place

__all__ = ["CSRF_COOKIES", "RULES", "SESSION_COOKIES", "Rule"]


def _names(*names: str) -> frozenset[str]:
    return frozenset(same_name(name) for name in names)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of dynamic value. An empty set or tuple means: any.

    * ``used_as``, ``produced_as``: field names, spelled as by `looks.same_name`;
    * ``evidence``: names in `evidence.EVIDENCE`, all of which must hold;
    * ``variable``: what the variable is called; empty: after its field;
    * ``matches``: up to which occurrence in the response the value is looked for;
    * ``reason``: a sentence, with ``{field}`` (where it is used) and ``{producer}`` to fill in;
    * ``unfound``: likewise, of a rule with ``used_as``, when no response holds the value.
    """

    name: str
    reason: str
    confidence: float
    kinds: tuple[Kind, ...]
    places: frozenset[Place] = frozenset()
    used_as: frozenset[str] = frozenset()
    produced_as: frozenset[str] = frozenset()
    evidence: tuple[str, ...] = ()
    variable: str = ""
    matches: int = 50
    unfound: str = (
        "No response before holds the value of {field}: it is sent as recorded, and the server "
        "will probably refuse it."
    )


_FIELDS = frozenset(
    {Place.FORM, Place.MULTIPART, Place.QUERY, Place.JSON_STRING, Place.JSON, Place.XML}
)
_HEADER = frozenset({Place.HEADER})
_ANYWHERE = (
    Kind.JSON, Kind.CONTROL, Kind.META, Kind.COOKIE, Kind.HEADER, Kind.LOCATION, Kind.TEXT,
)  # fmt: skip

#: Cookies that are the twin of a token in a form or header.
CSRF_COOKIES = _names(
    "csrftoken", "csrf_token", "_csrf", "XSRF-TOKEN", "_xsrf", "csrf", "_csrfSecret",
    "__RequestVerificationToken",
)  # fmt: skip

#: Cookies that carry a session, by the names that frameworks give them.
SESSION_COOKIES = _names(
    "sessionid", "session", "session_id", "sid", "PHPSESSID", "JSESSIONID", "ASP.NET_SessionId",
    "connect.sid", "laravel_session", "_session_id", "CFID", "CFTOKEN", "auth", "auth_token",
    "access_token", "remember_token", "KEYCLOAK_SESSION", "AUTH_SESSION_ID", ".AspNetCore.Cookies",
)  # fmt: skip

RULES: tuple[Rule, ...] = (
    Rule(
        "csrf-form-field",
        "{field} is an anti-forgery token, new for every session: {producer} gives it out.",
        0.99,
        (Kind.CONTROL, Kind.META, Kind.JSON, Kind.COOKIE, Kind.HEADER, Kind.TEXT),
        places=_FIELDS,
        used_as=_names(
            "csrfmiddlewaretoken",
            "authenticity_token",
            "__RequestVerificationToken",
            "_token",
            "csrf_token",
            "csrftoken",
            "csrf",
            "_csrf",
            "_csrf_token",
            "csrfToken",
            "anticsrf",
            "anoncsrf",
            "__csrf_magic",
            "OWASP_CSRFTOKEN",
            "_csrfSecret",
            "_wpnonce",
            "_xsrf",
            "xsrf_token",
            "form_key",
            "form_token",
            "form_build_id",
            "logintoken",
            "sesskey",
            "_csrf-frontend",
            "_csrf-backend",
            "YII_CSRF_TOKEN",
            "crumb",
        ),
        variable="csrf_token",
    ),
    Rule(
        "csrf-header",
        "The header {field} carries an anti-forgery token: {producer} gives it out.",
        0.99,
        (Kind.META, Kind.CONTROL, Kind.JSON, Kind.COOKIE, Kind.HEADER, Kind.TEXT),
        places=_HEADER,
        used_as=_names(
            "X-CSRF-Token",
            "X-CSRFToken",
            "X-XSRF-Token",
            "X-CSRF",
            "CSRF-Token",
            "RequestVerificationToken",
            "X-RequestVerificationToken",
            "X-CSRF-Magic",
            "OWASP-CSRFTOKEN",
            "X-WP-Nonce",
            "Jenkins-Crumb",
            "X-Csrf-Protection",
        ),
        variable="csrf_token",
    ),
    Rule(
        "view-state",
        "{field} is the page's own state, which the server wants back as it last sent it.",
        0.99,
        (Kind.CONTROL, Kind.TEXT),
        places=_FIELDS,
        used_as=_names(
            "__VIEWSTATE",
            "__VIEWSTATEGENERATOR",
            "__EVENTVALIDATION",
            "__VIEWSTATEENCRYPTED",
            "javax.faces.ViewState",
            "jakarta.faces.ViewState",
            "__PREVIOUSPAGE",
        ),
    ),
    Rule(
        "oauth2-access-token",
        "{producer} issues this token; later requests send it as Server authentication header.",
        0.99,
        (Kind.JSON,),
        produced_as=_names(
            "access_token",
            "accessToken",
            "access",
            "token",
            "auth_token",
            "authToken",
            "jwt",
            "jwt_token",
            "bearer_token",
            "bearerToken",
            "session_token",
            "sessionToken",
        ),
        evidence=("served", "long"),
        variable="bearer_token",
    ),
    Rule(
        "oauth2-refresh-token",
        "{producer} issues this token, with which the next access token is asked for.",
        0.99,
        (Kind.JSON,),
        produced_as=_names("refresh_token", "refreshToken", "refresh"),
        evidence=("served", "long"),
        variable="refresh_token",
    ),
    Rule(
        "oauth2-id-token",
        "{producer} issues this token.",
        0.95,
        (Kind.JSON,),
        produced_as=_names("id_token", "idToken"),
        evidence=("served", "long"),
        variable="id_token",
    ),
    Rule(
        "api-key-header",
        "{producer} gives out the key that the header {field} carries.",
        0.95,
        _ANYWHERE,
        places=_HEADER,
        used_as=_names("X-API-Key", "Api-Key", "X-Auth-Token", "X-Access-Token", "X-Session-Token"),
        evidence=("served", "long"),
        unfound="No response gives out the key that {field} carries: it is sent as recorded.",
    ),
    Rule(
        "hidden-field",
        "The hidden field {field} of the submitted form has this value in {producer}.",
        0.9,
        (Kind.CONTROL,),
        places=frozenset({Place.FORM, Place.MULTIPART}),
        evidence=("submitted form", "dynamic"),
    ),
    Rule(
        "redirect",
        "{producer} redirects to an address that holds this value.",
        0.95,
        (Kind.LOCATION,),
        evidence=("served", "random"),
    ),
    Rule(
        "created-location",
        "{producer} answers with the address of what it created.",
        0.9,
        (Kind.LOCATION,),
        evidence=("created", "new", "same path", "id shaped"),
    ),
    Rule(
        "created-id",
        "{producer} answers with the id of what it created.",
        0.9,
        (Kind.JSON,),
        evidence=("created", "new", "same thing", "id shaped"),
    ),
    Rule(
        "link",
        "{producer} links to this address, and the value looks random.",
        0.85,
        (Kind.LINK,),
        evidence=("served", "random"),
    ),
    Rule(
        "created-link",
        "{producer} links to this address, which was not on the page before the last change.",
        0.7,
        (Kind.LINK,),
        evidence=("new", "new link", "id shaped"),
        matches=1,
    ),
    Rule(
        "record-scan",
        "The value looks random, and {producer} is the last response before that holds it.",
        0.8,
        (Kind.JSON, Kind.CONTROL, Kind.META, Kind.HEADER, Kind.LOCATION, Kind.COOKIE, Kind.TEXT),
        evidence=("served", "random", "not typed"),
    ),
)
