# SPDX-License-Identifier: Apache-2.0
"""Runs the GPU tests of this bundle on a machine with a GPU and says what came out.

    python3 run.py                              everything; exit status 1 if anything is not as expected
    python3 run.py everyday                     one of: everyday, behaviour, policy, linker, graph,
                                                clients, conformance, maths, carried, wheels, pytorch,
                                                memory_saver, device_code
    python3 run.py linker graph --memcheck      these once more, under compute-sanitizer
    python3 run.py maths --program nccl         only this program of the maths libraries
    python3 run.py carried --carried FOLDER     libraries of CUDA 12 from this folder
    python3 run.py wheels --wheels FOLDER       repaired wheels of CUDA 12 from this folder
    python3 run.py conformance --topic graphs --built 12 --runtime 13.0 --log FILE

Each program is built for one CUDA major. It runs natively on its own runtime, which shows that the machine
works and what is right, and then through the stub on every runtime of the bundle.
"""

import argparse
import importlib.util
import os
import subprocess
import sys

import behaviour
import carried
import clients
import conformance
import device_code
import everyday
import graph
import linker
import maths
import memory_saver
import policy
import pytorch_orders
import wheels
from bundle import HERE, SONAMES, runtimes
from log import Log


def where() -> str:
    """The bundle's commit, and this machine's GPUs and driver."""
    file = HERE / "commit"
    commit = file.read_text(encoding="utf-8").strip() if file.exists() else "unknown"
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                              capture_output=True, text=True, timeout=60)
        gpus = done.stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired):
        gpus = []
    kinds = [f"{gpus.count(gpu)} {gpu.replace(', ', ', driver ')}" for gpu in sorted(set(gpus))]
    return f"commit {commit}; {'; '.join(kinds) or 'no GPU that nvidia-smi lists'}"


def run_pytorch(log: Log) -> int:
    """PyTorch, as it is and with the stubs preloaded; and with another library, in every order."""
    if importlib.util.find_spec("torch") is None:
        log.say("PyTorch: skipped, this Python has none")
        return 0
    stubs = sorted(map(str, (HERE / "stubs").glob("lib*_stub.so")))
    cudart = str(HERE / "stubs" / "libcudart_stub.so")
    failures = 0
    for way, preload in (("direct", ""), ("cudart preloaded", cudart),
                         ("all preloaded", " ".join(stubs))):
        env = {**os.environ, **({"LD_PRELOAD": preload} if preload else {})}
        done = subprocess.run([sys.executable, str(HERE / "pytorch.py")], env=env,
                              capture_output=True, text=True, timeout=300)
        failures += done.returncode != 0
        log.say(f"PyTorch {way:17} {'ok' if done.returncode == 0 else 'NOT AS EXPECTED'}")
        for line in done.stderr.splitlines():
            if "... skipped " in line:
                log.say(f"    {line}")
        log.note(done.stdout + done.stderr, show=done.returncode != 0)
    return failures + pytorch_orders.run(log.say)


def run_memory_saver(log: Log) -> int:
    """A repaired wheel, which was built for another CUDA than this PyTorch."""
    if importlib.util.find_spec("torch") is None:
        log.say("torch_memory_saver: skipped, this Python has no PyTorch")
        return 0
    return memory_saver.run(log.say, log.note)


# Each part, in the order in which all of them run.
PARTS = {
    "everyday": lambda log, options: everyday.run(log),
    "behaviour": lambda log, options: behaviour.run(log),
    "policy": lambda log, options: policy.run(log),
    "linker": lambda log, options: linker.run(log, options.memcheck),
    "graph": lambda log, options: graph.run(log, options.memcheck),
    "clients": lambda log, options: clients.run(log),
    "conformance": lambda log, options: conformance.run(
        conformance.Choice(options.built, options.runtime, options.topic, options.jobs), log),
    "maths": lambda log, options: maths.run(log, options.program),
    "carried": lambda log, options: carried.run(log, options.carried),
    "wheels": lambda log, options: wheels.run(log, options.wheels, options.program),
    "pytorch": lambda log, options: run_pytorch(log),
    "memory_saver": lambda log, options: run_memory_saver(log),
    "device_code": lambda log, options: device_code.run(log),
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--log", default="", metavar="FILE", help="everything that the programs printed")
    parser.add_argument("--memcheck", action="store_true", help="linker, graph: once more, under compute-sanitizer")
    parser.add_argument("--program", action="append", default=[], choices=[*maths.PROGRAMS, *wheels.PROGRAMS],
                        metavar="NAME", help="maths, wheels: only this program (may be repeated)")
    parser.add_argument("--carried", default="", metavar="FOLDER", help="the libraries of the part `carried`")
    parser.add_argument("--wheels", default="", metavar="FOLDER", help="the wheels of the part `wheels`")
    only = parser.add_argument_group("conformance: only this one (may be repeated)")
    only.add_argument("--topic", action="append", default=[])
    only.add_argument("--built", action="append", default=[], choices=list(SONAMES))
    only.add_argument("--runtime", action="append", default=[], choices=runtimes())
    parser.add_argument("--jobs", type=int, default=8, help="conformance: programs at a time")
    options = parser.parse_args()
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"unknown part {', '.join(sorted(unknown))}; expected {', '.join(PARTS)}")
    return options


def main() -> int:
    options = arguments()
    log = Log(options.log)
    log.say(where())
    failures = sum(run(log, options) for name, run in PARTS.items() if not options.parts or name in options.parts)
    log.say("all as expected" if not failures else f"{failures} not as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
