"""python3 wait.py [count]: a loop that waits for a worker without a call of its own, and may count meanwhile."""
import sys
import threading
import time

done = False


def work():
    global done
    total = 0
    for i in range(20000):
        total += i
    time.sleep(0.01)
    done = total > 0


threading.Thread(target=work).start()
n = 0
if sys.argv[1:] == ["count"]:
    while not done:
        n += 1
else:
    while not done:
        pass
print("ok")
