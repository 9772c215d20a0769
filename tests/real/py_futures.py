#!/usr/bin/python3
# concurrent.futures: pools of threads and of processes, as_completed, wait, time limits, exceptions, shutdown.
import concurrent.futures as futures
import hashlib
import os
import random
import threading
import time


def work(n):
    time.sleep(random.random() / 20)
    return n, hashlib.sha256(b"%d" % n).hexdigest()[:8], os.getpid(), threading.current_thread().name


def fail():
    raise ValueError("wanted")


def sleeper():
    time.sleep(1.5)


if __name__ == "__main__":
    for executor in futures.ThreadPoolExecutor(4), futures.ProcessPoolExecutor(3):
        with executor as e:
            order = [f.result()[0] for f in futures.as_completed([e.submit(work, n) for n in range(16)])]
            assert sorted(order) == list(range(16))
            print(order, list(e.map(work, range(2))))
            try:
                e.submit(fail).result()
            except ValueError as x:
                print(repr(x))
            late = e.submit(sleeper)
            done, rest = futures.wait([late, e.submit(work, 1)], timeout=0.5)
            assert len(done) == 1 and rest == {late}
    print("%.6f" % time.monotonic())
