"""TLS settings in a run of pytest: mistakes get their place, carelessness a notice."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
import trustme

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case, write

NOTICE = "certificates were not verified (tls.verify = false): "


def with_tls(text: str, *lines: str) -> str:
    """A test case with these lines in its table ``[tls]``."""
    return text + "\n[tls]\n" + "".join(f"{line}\n" for line in lines)


def test_a_key_of_another_certificate(pytester: pytest.Pytester, server: Server) -> None:
    """What only OpenSSL can tell is told before anything is sent, with file, line and key."""
    authority = trustme.CA()
    authority.issue_cert("ann").private_key_and_cert_chain_pem.write_to_path(
        pytester.path / "ann.pem"
    )
    authority.issue_cert("bob").private_key_pem.write_to_path(pytester.path / "bob.key")
    url = server.url.replace("http:", "https:")
    text = with_tls(case(url, "GET /"), 'client_certificate = "ann.pem"', 'client_key = "bob.key"')
    write(pytester, "shop", text)
    line = text.splitlines().index('client_key = "bob.key"') + 1
    result = pytester.runpytest("-rf")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [f"*shop.case.toml:{line}: tls.client_key: the key in *bob.key does not belong to *"]
    )
    assert server.requests == []


@pytest.mark.parametrize("arguments", [(), ("-n", "1")])
def test_a_run_says_that_certificates_are_not_verified(
    pytester: pytest.Pytester, server: Server, arguments: tuple[str, ...]
) -> None:
    """At its end, by the names of the tests, in workers too; others are not named."""
    write(pytester, "careful", case(server.url, "GET /"))
    write(pytester, "careless", with_tls(case(server.url, "GET /"), "verify = false"))
    result = pytester.runpytest_subprocess("--junitxml=out.xml", *arguments)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"loadtool: {NOTICE}careless.case.toml::careless"])
    tree = ElementTree.parse(pytester.path / "out.xml")
    found = [
        one.get("name")
        for one in tree.iter("testcase")
        if one.find("properties/property[@name='certificates']") is not None
    ]
    assert found == ["careless"]


def test_no_notice_without_reason(pytester: pytest.Pytester, server: Server) -> None:
    """A run that verifies says nothing of it."""
    write(pytester, "careful", case(server.url, "GET /"))
    assert "certificates" not in pytester.runpytest().stdout.str()


@pytest.mark.parametrize("arguments", [(), ("-n", "2")])
def test_a_load_test_says_it_too(
    pytester: pytest.Pytester, server: Server, arguments: tuple[str, ...]
) -> None:
    """As soon as one of its test cases accepts any certificate."""
    project = Project(pytester.path, pytester)
    project.write(
        a__case__toml=case(server.url, "GET /"),
        b__case__toml=with_tls(case(server.url, "GET /"), "verify = false"),
        rush__load__toml=load("a.case.toml", "b.case.toml"),
    )
    done = project.run("--load", *arguments)
    assert done.returncode == 0, done.stdout
    assert f"{NOTICE}rush.load.toml::rush" in done.stdout
