#!/usr/bin/env python3
"""What xsp-run --concurrency apply adds to a layer of PyTorch, in nanoseconds: where the policy says nothing of the
layer's type, where it advises the number that the layer has anyway, and where the number is set and put back. The program calls
layers that do nothing; each figure is the difference between the fastest advised call and the fastest one of the
program's own blocks, which take turns.

    test/bench/thread_setting_cost.py --python PYTHON [--xsp-run build/inject/launch/xsp-run] [--seconds 10]
"""

import argparse
import os
import subprocess
import sys
import tempfile

# Blocks of own and of advised calls take turns. A layer tells them apart: its type has another number in the latter.
PROGRAM = """
import sys, time
import torch

class Seen(torch.nn.Module):
    def forward(self, value):
        self.threads = torch.get_num_threads()
        return value

seen = Seen()
layers = 1000
model = torch.nn.Sequential(seen, *[torch.nn.Identity() for _ in range(layers)])
value = torch.ones(1)
own = torch.get_num_threads()
times = {True: [], False: []}
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    begin = time.thread_time_ns()
    model(value)
    spent = time.thread_time_ns() - begin
    times[seen.threads != own].append(spent / layers)
print(own, *(min(times[advised], default=0) for advised in (False, True)))
"""


def policy(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("xsp-threads\t1\n" + "".join(line + "\n" for line in lines))
    return path


def measured(options, folder, asked):
    environment = dict(os.environ)
    environment.pop("XSP_CONCURRENCY", None)
    command = ["env", f"XSP_CONCURRENCY={asked}", options.python, "-c", PROGRAM, str(options.seconds)]
    recorded = [options.xsp_run, "-f", "-o", os.path.join(folder, "trace.pb"), "--", *command]
    done = subprocess.run(recorded, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"thread_setting_cost: {done.stderr[-2000:]}")
    own, plain, advised = done.stdout.split()[-3:]
    return int(own), float(plain), float(advised)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--xsp-run", default="build/inject/launch/xsp-run")
    parser.add_argument("--seconds", type=float, default=10, help="of each case")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        own, recorded, _ = measured(options, folder, "record")
        other = 1 if own > 1 else 2
        seen = f"type\tSeen\t{other}"
        cases = {
            "of another type": [seen],
            "the same number": [seen, f"type\tIdentity\t{own}"],
            "set and put back": [seen, f"type\tIdentity\t{other}"],
        }
        print(f"{'not applied':20} {recorded:8.1f} ns a layer, recorded")
        for name, lines in cases.items():
            _, plain, advised = measured(options, folder, f"apply={policy(folder, 'policy', lines)} cores=2")
            print(f"{name:20} {advised - plain:+8.1f} ns a layer, to {plain:.1f}")


if __name__ == "__main__":
    main()
