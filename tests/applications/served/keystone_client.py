"""Keystone's own client in another environment: a session, and what others do, at a URL."""

import sys

from keystoneauth1 import session
from keystoneauth1.identity import v3
from keystoneclient.v3 import client

_PASSWORD = "correct-horse-battery"


def connected(url: str, user: str, password: str, project: str, domain: str = "Default"):
    """A client that has logged in."""
    who = v3.Password(
        f"{url}/v3",
        username=user,
        password=password,
        project_name=project,
        user_domain_name=domain,
        project_domain_name=domain,
    )
    return client.Client(session=session.Session(auth=who), endpoint_override=f"{url}/v3")


def use(url: str) -> None:
    """Others have a domain, a project and a user."""
    admin = connected(url, "admin", _PASSWORD, "admin")
    attic = admin.domains.create("attic")
    project = admin.projects.create("Old", attic, description="Dust")
    user = admin.users.create("otto", domain=attic, password=_PASSWORD)
    admin.roles.grant(admin.roles.list(name="reader")[0], user=user, project=project)


def act(url: str) -> None:
    """A domain with projects, a group, users and what they may; one of them looks, one goes."""
    admin = connected(url, "admin", _PASSWORD, "admin")
    tea = admin.domains.create("tea-company", description="All about tea")
    green = admin.projects.create("Green", tea, description="Green tea")
    black = admin.projects.create("Black", tea, description="Black tea")
    friends = admin.groups.create("Friends", domain=tea, description="They drink")
    kim = admin.users.create("kim", domain=tea, password=_PASSWORD, email="kim@example.com")
    lou = admin.users.create("lou", domain=tea, password=_PASSWORD, email="lou@example.com")
    admin.users.add_to_group(kim, friends)
    admin.users.add_to_group(lou, friends)
    roles = {one.name: one for one in admin.roles.list()}
    admin.roles.grant(roles["member"], group=friends, project=green)
    admin.roles.grant(roles["reader"], user=kim, project=black)
    admin.projects.update(green, description="Green tea of Kim", enabled=True)
    admin.users.update(lou, email="lou@example.org")
    secret = admin.credentials.create(kim, "cup", blob="porcelain", project=green)
    admin.credentials.update(secret, kim, blob="bone china")
    kims = connected(url, "kim", _PASSWORD, "Green", "tea-company")
    kims.projects.list(user=kims.session.get_user_id())
    kims.users.get(kims.session.get_user_id())
    admin.users.remove_from_group(lou, friends)
    admin.roles.revoke(roles["reader"], user=kim, project=black)
    admin.role_assignments.list(project=green)
    admin.users.delete(lou)
    admin.projects.delete(black)
    admin.users.list(domain=tea)
    admin.projects.list(domain=tea)
    admin.domains.get(tea)
    admin.tokens.revoke_token(kims.session.get_token())


if __name__ == "__main__":
    {"session": act, "use": use}[sys.argv[2]](sys.argv[1])
