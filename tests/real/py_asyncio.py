#!/usr/bin/python3
# An event loop with timers, subprocesses, servers on TCP and on a Unix socket, signals, threads and queues.
import asyncio
import os
import random
import signal
import sys
import tempfile
import time


async def serve(reader, writer):
    while line := await reader.readline():
        await asyncio.sleep(random.random() / 50)
        writer.write(line.upper())
        await writer.drain()
    writer.close()


async def client(n, open_connection, order):
    reader, writer = await open_connection()
    for i in range(3):
        writer.write(b"client %d says %d\n" % (n, i))
        assert await reader.readline() == b"CLIENT %d SAYS %d\n" % (n, i)
        order.append(n)
    writer.close()
    await writer.wait_closed()


async def shell():
    p = await asyncio.create_subprocess_exec("sh", "-c", "read x; sleep 0.3; echo got $x $$; exit 3",
                                             stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
    out, _ = await p.communicate(b"word\n")
    assert p.returncode == 3
    return out.decode().strip()


async def main():
    loop, order = asyncio.get_running_loop(), []
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "socket")
        tcp = await asyncio.start_server(serve, "127.0.0.1", 0)
        local = await asyncio.start_unix_server(serve, path)
        port = tcp.sockets[0].getsockname()[1]
        await asyncio.gather(*(client(n, lambda: asyncio.open_connection("127.0.0.1", port), order) for n in range(4)),
                             *(client(n, lambda: asyncio.open_unix_connection(path), order) for n in range(4, 8)))
        tcp.close()
        local.close()
    print(order, await asyncio.gather(shell(), shell()))

    queue, seen = asyncio.Queue(2), []

    async def consume():
        while (item := await queue.get()) is not None:
            seen.append(item)

    consumer = asyncio.create_task(consume())
    for i in range(10):
        await queue.put(await loop.run_in_executor(None, lambda i=i: (time.sleep(random.random() / 100), i)[1]))
    await queue.put(None)
    await consumer
    assert seen == list(range(10))

    got = asyncio.Event()
    loop.add_signal_handler(signal.SIGUSR1, got.set)
    loop.call_later(0.2, os.kill, os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(got.wait(), 5)
    try:
        await asyncio.wait_for(asyncio.sleep(3600), 2)
        sys.exit("no timeout")
    except asyncio.TimeoutError:
        pass
    print("%.6f" % loop.time(), time.time_ns())

asyncio.run(main())
