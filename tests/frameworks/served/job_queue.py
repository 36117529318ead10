"""Jobs on FastAPI: a queue, and one thread that works. Each question about a job is a step of its
work, so that a job takes as long as a client asks: JOB_STEPS times."""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import Any
from uuid import uuid4

import uvicorn
from fastapi import FastAPI, HTTPException

STEPS = int(os.environ["JOB_STEPS"])

app = FastAPI()
jobs: dict[str, dict[str, Any]] = {}
reports: dict[str, str] = {}
waiting: queue.Queue[str] = queue.Queue()
asked: queue.Queue[str] = queue.Queue()


def work() -> None:
    """Do one job after the other."""
    while True:
        job = jobs[waiting.get()]
        job["status"] = "running"
        for _ in range(STEPS):
            asked.get()
        report = uuid4().hex
        reports[report] = job["id"]
        job["result"] = {"report": f"/reports/{report}"}
        job["status"] = "finished"


@app.post("/jobs", status_code=202)
def order() -> dict[str, Any]:
    """A new job."""
    job = {"id": uuid4().hex, "status": "queued", "result": None}
    jobs[job["id"]] = job
    waiting.put(job["id"])
    return job


@app.get("/jobs/{name}")
def state(name: str) -> dict[str, Any]:
    """How far it is."""
    asked.put(name)
    return jobs[name]


@app.get("/reports/{name}")
def report(name: str) -> dict[str, Any]:
    """What came of it."""
    if name not in reports:
        raise HTTPException(404)
    return {"job": reports[name], "text": "The report is ready"}


threading.Thread(target=work, daemon=True).start()
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
