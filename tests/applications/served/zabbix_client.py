"""A session with Zabbix, by its client. Usage: python zabbix_client.py URL session|use"""

from __future__ import annotations

import sys

from zabbix_utils import ZabbixAPI

AGENT = {"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": "10050"}


def host(api: ZabbixAPI, name: str, group: str, **more: object) -> str:
    """The id of a new host."""
    interface = dict(AGENT)
    made = api.host.create(host=name, groups=[{"groupid": group}], interfaces=[interface], **more)
    return made["hostids"][0]


def item(api: ZabbixAPI, host_id: str, name: str, key: str) -> str:
    """The id of a new item that something else sends values of."""
    made = api.item.create(hostid=host_id, name=name, key_=key, type=2, value_type=3)
    return made["itemids"][0]


def session(api: ZabbixAPI) -> None:
    """Hosts with items and triggers: one item is changed, one deleted; one host is deleted."""
    group = api.hostgroup.create(name="Tea shops")["groupids"][0]
    kettle = host(api, "tea-kettle", group, tags=[{"tag": "room", "value": "kitchen"}])
    samovar = host(api, "tea-samovar", group, description="Of brass")
    api.host.get(groupids=[group], output=["hostid", "host", "status"])
    water = item(api, kettle, "Water", "tea.water")
    steam = item(api, kettle, "Steam", "tea.steam")
    item(api, samovar, "Coal", "tea.coal")
    api.item.get(hostids=[kettle], output=["itemid", "name", "key_"], selectTags="extend")
    api.item.update(itemid=water, name="Water, hot", tags=[{"tag": "unit", "value": "degrees"}])
    expression = "last(/tea-kettle/tea.water)>99"
    boils = api.trigger.create(description="Water boils", expression=expression, priority=4)
    boils_id = boils["triggerids"][0]
    api.trigger.get(hostids=kettle, output=["triggerid", "description", "priority", "status"])
    api.trigger.update(triggerid=boils_id, status=1, description="Water boils over")
    found = api.host.get(filter={"host": ["tea-samovar"]}, selectInterfaces="extend")[0]
    api.hostinterface.update(interfaceid=found["interfaces"][0]["interfaceid"], port="10051")
    api.host.update(hostid=found["hostid"], status=1, description="Of silver")
    macro = api.usermacro.create(hostid=kettle, macro="{$CUPS}", value="12")["hostmacroids"][0]
    api.usermacro.update(hostmacroid=macro, value="24")
    rest = api.maintenance.create(
        name="Tea cleaning",
        active_since=1900000000,
        active_till=1900086400,
        hosts=[{"hostid": kettle}, {"hostid": samovar}],
        timeperiods=[{"timeperiod_type": 0, "start_date": 1900000000, "period": 3600}],
    )["maintenanceids"][0]
    api.maintenance.update(
        maintenanceid=rest,
        description="With lemon",
        hosts=[{"hostid": kettle}],
    )
    api.maintenance.get(maintenanceids=[rest], selectHosts=["hostid", "host"])
    api.item.delete(steam)
    api.item.get(hostids=[kettle], output=["itemid", "name"])
    user = api.user.create(
        username="kim-watches",
        passwd="Correct-horse-7",
        roleid="1",
        usrgrps=[{"usrgrpid": "8"}],
    )["userids"][0]
    api.user.update(userid=user, name="Kim", surname="Lee")
    api.user.get(userids=user, output=["userid", "username", "name", "surname"])
    api.host.delete(samovar)
    api.host.get(groupids=group, output=["hostid", "host"], selectItems=["itemid", "name"])
    api.trigger.get(triggerids=[boils_id], output="extend")


def use(api: ZabbixAPI) -> None:
    """Others have hosts, before and behind."""
    for name in ("aa-old", "zz-old"):
        group = api.hostgroup.create(name=name)["groupids"][0]
        made = host(api, name, group)
        item(api, made, "Old", "old.one")
        api.usermacro.create(hostid=made, macro="{$OLD}", value="1")


if __name__ == "__main__":
    api = ZabbixAPI(url=sys.argv[1], user="Admin", password="zabbix")
    {"session": session, "use": use}[sys.argv[2]](api)
    api.logout()
