"""A command that is run to be measured."""
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass


@dataclass(order=True)
class Run:
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: float  # MB
    output: str


def run(command):
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begin
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0, (command, child.returncode)
        output.seek(0)
        return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read())


def best(command, times):
    return min(run(command) for _ in range(times))
