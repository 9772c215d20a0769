#!/usr/bin/python3
# Threads, a queue, locks, sockets, subprocesses, hash order, addresses.
import os, queue, random, socket, subprocess, sys, tempfile, threading, time, uuid
q, results, lock = queue.Queue(), [], threading.Lock()
def work(n):
    while (job := q.get()) is not None:
        time.sleep(random.random() / 100)
        with lock:
            results.append((n, job, uuid.uuid4().hex))
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
for job in range(40): q.put(job)
for t in threads: q.put(None)
for t in threads: t.join()
assert sorted(job for _, job, _ in results) == list(range(40))
print(results[:3], os.urandom(4).hex(), time.time(), id(results) % 4096)
with tempfile.TemporaryDirectory() as d:
    path = os.path.join(d, "f")
    open(path, "w").write("x" * 100000)
    assert subprocess.run(["wc", "-c", path], capture_output=True, text=True).stdout.split()[0] == "100000"
    print(d, os.stat(path).st_mtime)
ps = [subprocess.Popen([sys.executable, "-c", "import random; print(random.random())"], stdout=subprocess.PIPE)
      for _ in range(2)]
print([p.communicate()[0] for p in ps])
s = socket.create_server(("127.0.0.1", 0))
def serve():
    c, _ = s.accept()
    with c: c.sendall(c.recv(100).upper())
t = threading.Thread(target=serve); t.start()
with socket.create_connection(s.getsockname()) as c:
    c.sendall(b"hello")
    assert c.recv(100) == b"HELLO"
t.join()
event = threading.Event()
assert not event.wait(2.5)
print({w: hash(w) for w in ("a", "b")})
