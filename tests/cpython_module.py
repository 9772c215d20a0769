"""MODULE [OPTIONS]: runs one module of CPython's regression tests, as `python3 -m test` does, and says how each test went.

In one process, which is the driver then: the tests listen on sockets, and whoever listens would be a node else, whose
processes must not crash. Some tests crash theirs.
"""
import os
import runpy
import sys
import tempfile
import xml.etree.ElementTree

with tempfile.TemporaryDirectory() as d:
    report = os.path.join(d, "report.xml")
    me = os.getpid()
    sys.argv[1:1] = ["-v", "--junit-xml", report, "--tempdir", d]
    del sys.path[0]  # this file's folder
    try:
        runpy.run_module("test", run_name="__main__", alter_sys=True)
    except SystemExit as e:
        if os.getpid() != me:
            os._exit(e.code if isinstance(e.code, int) else 1)
        print("STATUS", e.code)
    results = {}
    if os.path.exists(report):
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            if case.get("name") is None:  # a subtest failed: nothing was added at the end
                continue
            if case.find("error") is not None or case.find("failure") is not None:
                word = "fails"
            elif case.get("result") != "completed" or case.get("status") != "run" or case.find("skipped") is not None:
                word = "skipped"
            else:
                word = "ok"
            # A test may stand there several times (subtests, tearDown): it passed when all that did.
            before = results.get(case.get("name"), "ok")
            results[case.get("name")] = word if before == "ok" else before
    for name in sorted(results):
        print("RESULT", results[name], name)
