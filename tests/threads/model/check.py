# SPDX-License-Identifier: Apache-2.0
"""Checks the models beside this file with spin: each as it is, and broken in each way that its #ifdef and #ifndef
name. Exit status 0: the models hold, and each broken one is found."""

import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent


def run(argv, folder):
    done = subprocess.run(argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)}: exit status {done.returncode}\n{done.stdout}")
    return done.stdout


def errors(model, switches):
    """Number of errors, and of states that were looked at."""
    with tempfile.TemporaryDirectory() as folder:
        run(["spin", *switches, "-a", str(model)], folder)
        run(["cc", "-O2", "-DSAFETY", "-DCOLLAPSE", "-o", "pan", "pan.c"], folder)
        output = run(["./pan", "-m1000000", "-w24"], folder)
    found = re.search(r"errors: (\d+)", output)
    if found is None or "max search depth too small" in output or "out of memory" in output:
        sys.exit(f"{model.name} {' '.join(switches)}: not checked completely\n{output}")
    return int(found.group(1)), re.search(r"(\d+) states, stored", output).group(1)


def main():
    wrong = 0
    for model in sorted(FOLDER.glob("*.pml")):
        breaks = sorted(set(re.findall(r"^#ifn?def (\w+)", model.read_text(encoding="utf-8"), re.M)))
        count, states = errors(model, [])
        print(f"{model.name}: {states} states, {count} errors")
        wrong += count
        for switch in breaks:
            count, _ = errors(model, [f"-D{switch}"])
            print(f"{model.name} with {switch}: {'found' if count else 'NOT FOUND'}")
            wrong += not count
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
