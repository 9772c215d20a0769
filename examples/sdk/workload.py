"""A workload in Python that needs no library: lines of JSON to the file that SIMRUN_OUTPUT names; nothing outside of a
simulation. The register under test is a file; BUG=1 reads it once only."""
import json
import os
import random
import tempfile

out = open(os.environ.get("SIMRUN_OUTPUT", os.devnull), "a", buffering=1)


def tell(**message):
    out.write(json.dumps(message) + "\n")


path = os.path.join(tempfile.mkdtemp(), "register")
open(path, "w").close()
cached = None
tell(simrun="setup_complete")
for n in range(20):
    if random.random() < 0.5:
        tell(type="invoke", process=1, f="put", key="k", value=f"v{n}")
        with open(path, "w") as f:
            f.write(f"v{n}")
        tell(type="ok", process=1)
    else:
        tell(type="invoke", process=1, f="get", key="k")
        with open(path) as f:
            value = f.read()
        if os.environ.get("BUG") == "1":
            value = cached = cached if cached is not None else value
        tell(type="ok", process=1, value=value)
        tell(simrun="sometimes", message="python read something", condition=value != "", location="workload.py:33")
tell(simrun="event", name="python is done", details={"operations": 20})
