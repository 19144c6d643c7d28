# SPDX-License-Identifier: Apache-2.0
"""How many CUDA runtimes a process has that uses PyTorch and another library, linked to the stub, in any order.

    python3 pytorch_orders.py     the table, exit status 1 if any field is not as expected

The library is built for CUDA 11, 12 and 13 (pytorch_shared.cu) and every process checks that it and PyTorch work on
each other's memory (pytorch_order.py). `native` is the same library linked to the real runtime: it shows what
happens without the stub, and that a second runtime would be seen.
"""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORDERS = ("called", "loaded", "after")  # when the library comes: pytorch_order.py
ONE = ("PyTorch's",) * 3
TWO_NATIVELY = ("12.9 + PyTorch's",) * 3
# Only a file that the user names leads to two.
NAMED = ("a file that the user names is used, or refused where there is a runtime; PyTorch, which comes later,"
         " opens its own by its path")


@dataclass(frozen=True)
class Setting:
    name: str
    variable: str = ""
    release: str = ""
    expected: tuple[str, ...] = ONE
    reason: str = ""

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith("ANYCUDA_") and name != "LD_PRELOAD"}
        folder = HERE / f"cuda-{self.release}"
        if self.variable == "LD_LIBRARY_PATH":  # the system's goes on: containers have their driver there
            kept["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(folder), kept.get("LD_LIBRARY_PATH")]))
        elif self.variable:
            kept[self.variable] = str(next(folder.iterdir()))
        return kept


SETTINGS = (
    Setting("nothing set"),
    Setting("13.5 on LD_LIBRARY_PATH", "LD_LIBRARY_PATH", "13.5"),
    Setting("12.9 on LD_LIBRARY_PATH", "LD_LIBRARY_PATH", "12.9"),
    Setting("ANYCUDA_CUDART=13.5", "ANYCUDA_CUDART", "13.5", ("13.5 + PyTorch's", "refused", "refused"), NAMED),
    Setting("ANYCUDA_CUDART=12.9", "ANYCUDA_CUDART", "12.9", ("12.9 + PyTorch's", "refused", "refused"), NAMED),
)
NATIVE = Setting("12.9 on LD_LIBRARY_PATH", "LD_LIBRARY_PATH", "12.9", TWO_NATIVELY)


def label(runtime: str) -> str:
    file = Path(runtime)
    return file.parent.name.removeprefix("cuda-") if HERE in file.parents else "PyTorch's"


def outcome(library: Path, order: str, setting: Setting) -> tuple[str, str]:
    done = subprocess.run([sys.executable, str(HERE / "pytorch_order.py"), str(library), order],
                          env=setting.environment(), capture_output=True, text=True, timeout=300)
    text = done.stdout + done.stderr
    if done.returncode == 0:
        return " + ".join(sorted(map(label, json.loads(done.stdout.splitlines()[-1])["runtimes"]))), text
    return ("refused" if "a process can use only one of them" in text else "FAIL"), text


def run(say: Callable[[str], None]) -> int:
    """The number of fields that are not as expected."""
    if importlib.util.find_spec("torch") is None:
        say("PyTorch and another library: skipped, this Python has no PyTorch")
        return 0
    rows = [(f"built for {major}", HERE / f"shared-{major}.so", setting)
            for major in ("11", "12", "13") for setting in SETTINGS]
    rows.append(("native 12", HERE / "shared-12-native.so", NATIVE))
    for name, _, _ in [row for row in rows if not row[1].exists()]:
        say(f"{name}: not in this bundle")
    rows = [row for row in rows if row[1].exists()]
    cases = [(library, order, setting) for _, library, setting in rows for order in ORDERS]
    with ThreadPoolExecutor(8) as pool:  # the processes have nothing to do with each other
        outcomes = list(pool.map(lambda case: outcome(*case), cases))
    failures = 0
    say(f"{'':12} {'':24} " + " ".join(f"{order:17}" for order in ORDERS))
    for i, (name, _, setting) in enumerate(rows):
        found = outcomes[i * len(ORDERS):(i + 1) * len(ORDERS)]
        say(f"{name:12} {setting.name:24} " + " ".join(f"{got:17}" for got, _ in found))
        for order, want, (got, text) in zip(ORDERS, setting.expected, found):
            # PyTorch puts its runtime into the global scope, where a later library of its major finds it itself.
            directly = order == "after" and got == "PyTorch's"
            if got != want and not directly:
                failures += 1
                say(f"    {order}: EXPECTED {want}\n      " + text[-2000:].strip().replace("\n", "\n      "))
    for reason in dict.fromkeys(setting.reason for _, _, setting in rows if setting.reason):
        say(f"Two, and refused, with {' and '.join(s.name for s in SETTINGS if s.reason == reason)}: {reason}.")
    return failures


if __name__ == "__main__":
    sys.exit(1 if run(print) else 0)
