"""Runs the GPU tests of this bundle on a machine with a GPU and says what came out.

    python3 run.py            the table, exit status 1 if any field is not as expected

Each program is built for one CUDA major and runs through the stub on every runtime of the bundle.
`native` rows run the unpatched program on its own runtime, to show that the machine itself works.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SONAMES = {"11": "libcudart.so.11.0", "12": "libcudart.so.12", "13": "libcudart.so.13"}
NATIVE = {"11": "11.8", "12": "12.9", "13": "13.0"}


def expected(built: str, runtime: str) -> str:
    """nvcc 13 launches kernels through functions that the runtime of 11 does not have."""
    return "kernel launches refused" if built == "13" and runtime.startswith("11.") else "ok"


def environment(*folders: Path, **more: str) -> dict[str, str]:
    keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    system = os.environ.get("LD_LIBRARY_PATH", "")  # where containers have their driver
    path = ":".join([*map(str, folders), *([system] if system else [])])
    return {**keep, "LD_LIBRARY_PATH": path, **more}


def outcome(program: Path, env: dict[str, str]) -> tuple[str, str]:
    done = subprocess.run([str(program)], env=env, capture_output=True, text=True, timeout=120)
    text = done.stdout + done.stderr
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}", text
    if done.returncode == 0:
        return "ok", text
    return ("kernel launches refused" if "302" in text and "FAIL cudaGetLastError" in text
            else f"{done.returncode} failures"), text


def run_programs() -> int:
    """The ordinary program, natively, patched on every runtime, and unpatched on the drop-ins."""
    runtimes = sorted((p.name.removeprefix("cuda-") for p in HERE.glob("cuda-*")),
                      key=lambda v: tuple(map(int, v.split("."))))
    failures = 0
    for major in SONAMES:
        program = HERE / f"everyday-{major}"
        if not program.exists():
            print(f"built for {major}: not in this bundle")
            continue
        native = HERE / f"cuda-{NATIVE[major]}"
        rows = [("native", NATIVE[major], Path(f"{program}-native"), environment(native), "ok")]
        for runtime in runtimes:
            file = next((HERE / f"cuda-{runtime}").iterdir())
            env = environment(HERE / "stubs", ANYCUDA_CUDART=str(file))
            rows.append(("stub", runtime, program, env, expected(major, runtime)))
            env = environment(HERE / "dropin", ANYCUDA_CUDART=str(file))
            rows.append(("drop-in", runtime, Path(f"{program}-native"), env,
                         expected(major, runtime)))
        for way, runtime, binary, env, want in rows:
            got, text = outcome(binary, env)
            failures += got != want
            mark = "" if got == want else f"   EXPECTED {want}"
            print(f"built for {major:3} {way:8} runtime {runtime:5} {got}{mark}")
            if got != want:
                print("    " + text.replace("\n", "\n    "))
    return failures


def run_pytorch() -> int:
    """PyTorch, as it is and with the stubs preloaded."""
    if importlib.util.find_spec("torch") is None:
        print("PyTorch: skipped, this Python has none")
        return 0
    stubs = [str(HERE / "stubs" / f"lib{name}_stub.so")
             for name in ("cudart", "nvrtc", "nvjitlink", "cuda")]
    failures = 0
    for way, preload in (("direct", ""), ("cudart preloaded", stubs[0]),
                         ("all preloaded", " ".join(stubs))):
        env = {**os.environ, **({"LD_PRELOAD": preload} if preload else {})}
        done = subprocess.run([sys.executable, str(HERE / "pytorch.py")], env=env,
                              capture_output=True, text=True, timeout=300)
        failures += done.returncode != 0
        print(f"PyTorch {way:17} {'ok' if done.returncode == 0 else 'NOT AS EXPECTED'}")
        if done.returncode != 0:
            print("    " + (done.stdout + done.stderr)[-2000:].replace("\n", "\n    "))
    return failures


def main() -> int:
    failures = run_programs() + run_pytorch()
    print("all as expected" if not failures else f"{failures} not as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
