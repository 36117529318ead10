"""The service room: record, build, configure, replay and save as functions over data.

The console, `pytest_loadtool.record`, `--record-from-tests` and record scripts are clients of it. A
function takes the document, where the case is to lie and what the project says, and returns the new
document with what there is to say of it; it prints nothing and asks nobody. What may not enter:
pytest, prompt_toolkit, and any knowledge of a console. mitmproxy is needed by what records, and is
imported there, not before.
"""
