"""A session with Prefect (PREFECT_API_URL), by its client. Usage: prefect_client.py session|use"""

from __future__ import annotations

import asyncio
import sys

from prefect.client.orchestration import PrefectClient, get_client
from prefect.client.schemas.actions import (
    ArtifactCreate,
    DeploymentUpdate,
    GlobalConcurrencyLimitCreate,
    GlobalConcurrencyLimitUpdate,
    VariableCreate,
    VariableUpdate,
    WorkPoolCreate,
    WorkPoolUpdate,
)
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId
from prefect.client.schemas.objects import StateType
from prefect.states import Cancelled, Completed, Pending, Running


async def session(client: PrefectClient) -> None:
    """Deployments and runs: one goes through its states, one is renamed, one deleted."""
    flow = await client.create_flow_from_name("pack-parcels")
    await client.create_work_pool(WorkPoolCreate(name="tea-workers", type="process"))
    await client.update_work_pool(
        "tea-workers", WorkPoolUpdate(description="For parcels", concurrency_limit=5)
    )
    queue = await client.create_work_queue("urgent", priority=1, work_pool_name="tea-workers")
    await client.update_work_queue(queue.id, concurrency_limit=3)
    deployments = [
        await client.create_deployment(
            flow, name, work_pool_name="tea-workers", parameters={"cups": 2}, tags=["tea"]
        )
        for name in ("every-morning", "every-evening")
    ]
    await client.update_deployment(deployments[1], DeploymentUpdate(description="After five"))
    await client.pause_deployment(deployments[1])
    runs = [
        await client.create_flow_run_from_deployment(deployments[0], name=name, tags=["tea"])
        for name in ("green-parcel", "black-parcel", "white-parcel")
    ]
    await client.read_flow_runs(limit=200)
    for each in (Pending(), Running()):
        await client.set_flow_run_state(runs[0].id, each, force=True)
    await client.update_flow_run(runs[1].id, name="black-parcel-for-kim")
    await client.set_flow_run_state(runs[1].id, Cancelled(message="Not today"), force=True)
    await client.set_flow_run_state(runs[0].id, Completed(message="Sent"), force=True)
    await client.delete_flow_run(runs[2].id)
    ids = FlowRunFilterId(any_=[one.id for one in runs])
    await client.read_flow_runs(flow_run_filter=FlowRunFilter(id=ids))
    await client.read_flow_run_states(runs[0].id)
    await client.create_artifact(
        ArtifactCreate(key="bill", type="markdown", data="# 12 cups", flow_run_id=runs[0].id)
    )
    await client.create_variable(VariableCreate(name="tea_price", value=4, tags=["tea"]))
    await client.update_variable(VariableUpdate(name="tea_price", value=5))
    await client.create_variable(VariableCreate(name="kettle_place", value="left"))
    await client.read_variables()
    await client.delete_variable_by_name("kettle_place")
    await client.create_global_concurrency_limit(
        GlobalConcurrencyLimitCreate(name="kettle-uses", limit=2)
    )
    await client.update_global_concurrency_limit(
        "kettle-uses", GlobalConcurrencyLimitUpdate(limit=4)
    )
    await client.read_global_concurrency_limit_by_name("kettle-uses")
    listed = await client.read_deployments()
    evening = next(one for one in listed if one.name == "every-evening")
    await client.resume_deployment(evening.id)
    await client.delete_deployment(deployments[0])
    await client.read_deployment(evening.id)
    last = await client.read_flow_run(runs[0].id)
    assert last.state_type is StateType.COMPLETED, last


async def use(client: PrefectClient) -> None:
    """Others have deployments and runs, before and behind."""
    for flow in ("aa-old", "zz-old"):
        id_ = await client.create_flow_from_name(flow)
        deployment = await client.create_deployment(id_, f"{flow}-deployment")
        await client.create_flow_run_from_deployment(deployment, name=f"{flow}-run")
    await client.create_variable(VariableCreate(name="aa_old", value=1))


async def main() -> None:
    """Do what the command line says."""
    async with get_client() as client:
        await {"session": session, "use": use}[sys.argv[1]](client)


if __name__ == "__main__":
    asyncio.run(main())
