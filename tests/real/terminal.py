#!/usr/bin/python3
# An interactive bash with job control on a pseudo-terminal.
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(PS1="$ ", TERM="dumb")
    os.execv("/bin/bash", ["bash", "--norc", "--noprofile", "-i"])
rest = b""
def until(word):
    global rest
    end = time.time() + 60
    while word not in rest:
        if not select.select([fd], [], [], max(0, end - time.time()))[0]:
            sys.exit("no %r in %r" % (word, rest))
        try:
            data = os.read(fd, 1000)
        except OSError:
            break
        if not data:
            break
        rest += data
    at = rest.find(word) + len(word)
    out, rest = rest[:at], rest[at:]
    return out
until(b"$ ")
def run(cmd, *words):
    os.write(fd, cmd)
    for word in words:
        sys.stdout.write(until(word).decode())
run(b"tty\n", b"/dev/pts/", b"$ ")
run(b"stty size; echo $((6*7))\n", b"42\r\n", b"$ ")
run(b"sleep 100 &\n", b"[1]", b"$ ")
run(b"jobs\n", b"Running", b"$ ")
run(b"fg\n", b"sleep 100")
time.sleep(0.5)
run(b"\x1a", b"Stopped", b"$ ")
run(b"bg; jobs\n", b"Running", b"$ ")
run(b"kill %1; sleep 0.1\n\n", b"Terminated", b"$ ")
run(b"cat\n", b"cat")
time.sleep(0.2)
run(b"hello\n\x03", b"^C", b"$ ")
run(b"exit 3\n", b"exit")
while True:
    try:
        if not os.read(fd, 1000):
            break
    except OSError:
        break
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
