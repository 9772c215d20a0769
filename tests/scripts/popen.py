#!/usr/bin/python3
"""A driver in Python: servers by subprocess.Popen, polled until they answer."""
# needs: redis-server
import socket
import subprocess
import sys
import tempfile
import time


def command(port, *words):
    with socket.create_connection(("127.0.0.1", port), timeout=2) as s:
        s.sendall(b"".join([b"*%d\r\n" % len(words)] + [b"$%d\r\n%s\r\n" % (len(w), w.encode()) for w in words]))
        return s.recv(4096).decode()


servers = []
with tempfile.TemporaryDirectory() as d:
    try:
        for port in (21901, 21902):
            servers.append(subprocess.Popen(
                ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", d, "--save", ""],
                stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT))
        for port in (21901, 21902):
            deadline = time.monotonic() + 30
            while True:
                try:
                    assert command(port, "PING").startswith("+PONG")
                    break
                except OSError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.1)
        print(command(21901, "SET", "k", "v").strip(), command(21901, "GET", "k").split()[1])
        servers[0].kill()
        assert servers[0].wait(timeout=10) == -9
        try:
            command(21901, "PING")
            sys.exit("a dead server answers")
        except ConnectionRefusedError:
            print("the first is dead")
        print(command(21902, "PING").strip())
    finally:
        for p in servers:
            p.terminate()
        for p in servers:
            p.wait(timeout=10)
