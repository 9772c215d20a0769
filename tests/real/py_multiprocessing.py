#!/usr/bin/python3
# multiprocessing by fork and by spawn: pools, queues, pipes, locks, shared memory, managers.
import multiprocessing
import multiprocessing.shared_memory
import os
import random
import sys
import time


def square(x):
    time.sleep(random.random() / 100)
    return x * x, os.getpid()


def worker(n, queue, lock, counter, barrier, name):
    barrier.wait()
    for _ in range(5):
        time.sleep(random.random() / 200)
        with lock:
            counter.value += 1
        queue.put((n, random.random()))
    block = multiprocessing.shared_memory.SharedMemory(name)
    block.buf[n] = n + 1
    block.close()


def run(method):
    context = multiprocessing.get_context(method)
    with context.Pool(3) as pool:
        results = pool.map(square, range(12), chunksize=1)
        assert [r for r, _ in results] == [x * x for x in range(12)]
        print(method, [pid for _, pid in results])
        assert pool.apply_async(square, (5,)).get(30)[0] == 25
    queue, lock, counter, barrier = context.Queue(), context.Lock(), context.Value("i", 0), context.Barrier(3)
    block = multiprocessing.shared_memory.SharedMemory(create=True, size=16)
    children = [context.Process(target=worker, args=(n, queue, lock, counter, barrier, block.name)) for n in range(3)]
    for p in children:
        p.start()
    got = [queue.get(timeout=60) for _ in range(15)]
    for p in children:
        p.join()
        assert p.exitcode == 0
    assert counter.value == 15 and bytes(block.buf[:3]) == b"\1\2\3"
    block.close()
    block.unlink()
    print([n for n, _ in got], "%.4f" % got[0][1], block.name)
    with context.Manager() as manager:
        shared = manager.dict()
        shared["a"] = 1
        assert shared.copy() == {"a": 1}


if __name__ == "__main__":
    for m in sys.argv[1:] or ["fork", "spawn"]:
        run(m)
