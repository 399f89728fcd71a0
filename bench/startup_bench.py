#!/usr/bin/env python3
"""Start-up of the program beside /bin/true, the cost of a process here. Usage: startup_bench.py KEDGE [runs]"""
import os
import subprocess
import sys
import tempfile
import time


def measure(command, runs, folder):
    walls, cpus = [], []
    for _ in range(runs):
        before = os.times()
        begin = time.perf_counter()
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        walls.append((time.perf_counter() - begin) * 1000)
        after = os.times()
        cpus.append((after.children_user + after.children_system - before.children_user - before.children_system) * 1000)
    walls.sort()
    return walls[0], walls[len(walls) // 2], sum(cpus) / runs


def main():
    kedge = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as folder:
        for name, command in (("/bin/true", ["/bin/true"]), ("kedge --version", [kedge, "--version"]),
                              ("kedge explain PZ0331", [kedge, "explain", "PZ0331"]),
                              ("kedge connections list", [kedge, "connections", "list"]),
                              ("kedge connections test sqlite", [kedge, "connections", "test", "sqlite:none.db"]),
                              ("kedge connections test duckdb", [kedge, "connections", "test", "duckdb::memory:"])):
            best, median, cpu = measure(command, runs, folder)
            print(f"{name:32} best {best:7.1f} ms   median {median:7.1f} ms   CPU {cpu:6.1f} ms")


main()
