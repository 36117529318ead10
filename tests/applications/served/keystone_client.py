"""A session with Keystone, by its client. Usage: python keystone_client.py URL session|use"""

from __future__ import annotations

import sys

from keystoneauth1 import session as sessions
from keystoneauth1.identity import v3
from keystoneclient.v3.client import Client

DOMAIN = "default"


def client(name: str, password: str, project: str) -> Client:
    """The client of a user."""
    auth = v3.Password(
        auth_url=f"{sys.argv[1]}/v3",
        username=name,
        password=password,
        project_name=project,
        user_domain_id=DOMAIN,
        project_domain_id=DOMAIN,
    )
    return Client(session=sessions.Session(auth=auth))


def session(one: Client) -> None:
    """Two projects, two users, a group and roles: one is taken back, one user deleted."""
    house = one.projects.create("tea-house", domain=DOMAIN, description="Where tea is served")
    cellar = one.projects.create("tea-cellar", domain=DOMAIN)
    lou = one.users.create(
        "lou-packs",
        domain=DOMAIN,
        password="green-horse-battery",
        default_project=house,
        email="lou@example.com",
    )
    max_ = one.users.create("max-packs", domain=DOMAIN, password="black-horse-battery")
    role = one.roles.create("tea-packing", description="Packs")
    one.roles.grant(role, user=lou, project=house)
    one.roles.grant(role, user=max_, project=cellar)
    packers = one.groups.create("tea-packers", domain=DOMAIN)
    one.users.add_to_group(lou, packers)
    one.users.add_to_group(max_, packers)
    one.roles.grant(role, group=packers, project=cellar)
    found = one.projects.find(name="tea-cellar")
    one.projects.update(found, description="Where tea is kept", enabled=False)
    one.projects.list()
    one.role_assignments.list(project=house)
    one.users.remove_from_group(max_, packers)
    one.roles.revoke(role, user=max_, project=cellar)
    mine = next(each for each in one.users.list() if each.name == "max-packs")
    one.users.delete(mine)
    one.users.update(lou, email="lou@example.org", description="The fastest")
    one.users.list(group=packers)
    one.users.get(lou)
    service = one.services.create("tea-packing", type="parcels", description="Parcels")
    other = one.endpoints.create(service, "http://127.0.0.1:9/parcels", interface="public")
    one.endpoints.create(service, "http://127.0.0.1:9/inner", interface="internal")
    one.endpoints.update(other, url="http://127.0.0.1:9/parcels/v2")
    one.endpoints.list(service=service)
    theirs = client("lou-packs", "green-horse-battery", "tea-house")
    theirs.users.get(theirs.session.get_user_id())
    one.projects.get(cellar)
    one.role_assignments.list(user=lou)


def use(one: Client) -> None:
    """Others have projects, users and services."""
    for name in ("aa-old", "zz-old"):
        project = one.projects.create(name, domain=DOMAIN)
        user = one.users.create(name, domain=DOMAIN, password="old-horse-battery")
        role = one.roles.create(name)
        one.roles.grant(role, user=user, project=project)
        service = one.services.create(name, type="parcels")
        one.endpoints.create(service, "http://127.0.0.1:9/old", interface="public")


if __name__ == "__main__":
    admin = client("admin", "correct-horse-battery", "admin")
    {"session": session, "use": use}[sys.argv[2]](admin)
