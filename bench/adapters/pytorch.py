#!/usr/bin/env python3
"""Makes PyTorch's DataLoader a subject of loaderbench (the trial protocol: JSON lines over standard input and output).

    subject: python3 bench/adapters/pytorch.py                     the same work as the core: products of N x N (gemm=N)
    subject: python3 bench/adapters/pytorch.py mine:make_loader    your own loader

Your function gets the spec (a dict: workload, setting, seed) and a worker_init_fn to pass on, and returns a DataLoader
that does not end before the trial does; setting["workers"] and setting["threads"] are what this arm is about.
"""
import importlib, json, os, sys, time

import torch
from torch.utils.data import DataLoader, Dataset


class Products(Dataset):
    """Sample i is A[i mod 4] B, as the core's gemm over synthetic data."""

    def __init__(self, n):
        g = torch.Generator().manual_seed(0)
        self.a, self.b = torch.rand(4, n, n, generator=g), torch.rand(n, n, generator=g)

    def __len__(self):
        return 1 << 20

    def __getitem__(self, i):
        return self.a[i % 4] @ self.b


def products(spec, worker_init_fn):
    name, _, n = spec["workload"]["transform"].partition("=")
    if name != "gemm" or not (n or "768").isdigit():
        raise ValueError(f"transform '{spec['workload']['transform']}': this adapter does gemm=N")
    s = spec["setting"]
    more = {"prefetch_factor": s["prefetch_factor"], "persistent_workers": True} if s["workers"] else {}
    return DataLoader(Products(int(n or 768)), batch_size=spec["workload"]["batch_size"], num_workers=s["workers"],
                      worker_init_fn=worker_init_fn, **more)


def cpus(text):
    out = set()
    for part in text.split(","):
        low, _, high = part.partition("-")
        out |= set(range(int(low), int(high or low) + 1))
    return out


def bind(text):
    for tid in os.listdir("/proc/self/task"):
        os.sched_setaffinity(int(tid), cpus(text))


def tree_cpu_ns(pids):
    """CPU time of all processes, in clock ticks: all that /proc gives of others."""
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * 1e9 / os.sysconf("SC_CLK_TCK")


class Trial:
    def __init__(self, spec, make):
        self.spec, self.setting, place = spec, spec["setting"], spec["placement"]

        def worker_init(worker_id):
            if place["bound"]:
                bind(place["workers"][worker_id])
            torch.set_num_threads(self.setting["threads"])

        if place["bound"]:
            bind(place["main"])
        if not self.setting["workers"]:
            torch.set_num_threads(self.setting["threads"])
        begin = time.perf_counter_ns()
        self.it = iter(make(spec, worker_init))
        self.samples = self.take(1)
        self.first_batch_ns = time.perf_counter_ns() - begin
        self.take(2 * max(1, self.setting["workers"]))
        self.pids = [os.getpid()] + [w.pid for w in getattr(self.it, "_workers", [])]

    def take(self, n):
        samples = 0
        for _ in range(n):
            batch = next(self.it)
            samples += len(batch[0] if isinstance(batch, (list, tuple)) else batch)
        return samples

    def placement(self):
        found = [",".join(map(str, sorted(os.sched_getaffinity(p)))) for p in self.pids]
        asked = [self.spec["placement"]["main"]] + self.spec["placement"]["workers"]
        wrong = [f"process {i}: CPUs asked {a}, found {f}" for i, (a, f) in enumerate(zip(asked, found))
                 if self.spec["placement"]["bound"] and cpus(a) != cpus(f)]
        return {"main": found[0], "workers": found[1:]}, wrong[0] if wrong else None

    def turn(self, warm, batches):
        asked = time.perf_counter_ns()
        ahead = (self.setting["prefetch_factor"] + 1) * self.setting["workers"]
        self.take(ahead + warm)
        cpu, begin = tree_cpu_ns(self.pids), time.perf_counter_ns()
        samples = self.take(batches)
        wall = time.perf_counter_ns() - begin
        self.samples += samples
        cpu = tree_cpu_ns(self.pids) - cpu
        return {"batches": batches, "samples": samples, "wall_ns": wall, "cpu_ns": cpu,
                "untimed_ns": time.perf_counter_ns() - asked - wall}


def main():
    answers, sys.stdout = sys.stdout, sys.stderr  # what a loader prints must not get between the answers

    def say(line):
        print(json.dumps(line), file=answers, flush=True)

    try:
        module, _, function = (sys.argv[1] if len(sys.argv) > 1 else "").partition(":")
        sys.path.insert(0, os.getcwd())
        make = getattr(importlib.import_module(module), function or "make_loader") if module else products
        spec = json.loads(sys.stdin.readline())["spec"]
        trial = Trial(spec, make)
        placement, wrong = trial.placement()
        start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - spec["spawned_ns"]
        say({"ready": {"start_ns": start_ns, "first_batch_ns": trial.first_batch_ns, "placement": placement,
                       "placement_mismatch": wrong}})
        for text in sys.stdin:
            line = json.loads(text)
            if "turn" not in line:
                break
            say({"turn": trial.turn(line["turn"]["warm_batches"], line["turn"]["batches"])})
        say({"totals": {"samples": trial.samples}})
        answers.flush()
        os._exit(0)  # the harness ends the workers: no joining of them
    except Exception as e:
        say({"error": f"{type(e).__name__}: {e}"})
        raise


if __name__ == "__main__":
    main()
