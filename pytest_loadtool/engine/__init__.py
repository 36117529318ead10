"""Load runs: virtual users on an event loop, and one orchestration over workers, wherever they are.

`LoadRun` leads the workers of a run and judges it; `Worker` is what each of them does. Only what
carries their messages differs: in this process they are calls. No pytest, no xdist and no terminal
may enter: who runs load tests brings these along.
"""
