"""A loop that waits for a worker without a call of its own."""
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
while not done:
    pass
print("ok")
