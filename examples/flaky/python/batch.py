"""Runs commands at the same time, each in a thread of its own."""
import subprocess
import threading


class Batch:
    def __init__(self):
        self.outputs = []

    def _run(self, number, command):
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
        self.outputs.append(done.stdout.strip())

    def run(self, *commands):
        """The output of each command, in the order of the commands."""
        threads = [threading.Thread(target=self._run, args=each) for each in enumerate(commands)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.outputs


class FixedBatch(Batch):
    def _run(self, number, command):
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
        self.outputs.append((number, done.stdout.strip()))

    def run(self, *commands):
        return [output for _, output in sorted(super().run(*commands))]
