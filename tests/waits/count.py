"""A loop that counts while it waits for a worker."""
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


n = 0
threading.Thread(target=work).start()
while not done:
    n += 1
print("ok")
