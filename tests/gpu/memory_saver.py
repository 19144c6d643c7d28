# SPDX-License-Identifier: Apache-2.0
"""torch_memory_saver 0.0.9, a wheel that was built for CUDA 12 and repaired with `anycuda repair`, beside a PyTorch
for another CUDA: memory that it pauses is free, and is where it was when it is resumed.

    python3 memory_saver.py              both of its modes, each in a process; exit status 1 if anything is wrong
    python3 memory_saver.py --mode MODE  one of them, in this process (run as the first form says)

Its mode `torch` is an allocator that PyTorch calls; `preload` defines cudaMalloc itself, and is loaded first.
What comes out is written for those who have only this text to find out what went wrong.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODES = ("torch", "preload")
BLOCK = 256 << 20  # bytes of each tensor
ENOUGH = 0.9  # of what was paused must be free: what else the process does takes and gives a little


def wheel(folder: str) -> Path:
    found = sorted((HERE / folder).glob("torch_memory_saver-*.whl"))
    if len(found) != 1:
        sys.exit(f"memory_saver.py: expected one wheel in {HERE / folder}, found {[one.name for one in found]}")
    return found[0]


def hook(site: Path, mode: str) -> Path:
    (found,) = site.glob(f"torch_memory_saver_hook_mode_{mode}.*.so")
    return found


def run_mode(site: Path, mode: str) -> subprocess.CompletedProcess:
    env = {**os.environ, "PYTHONPATH": str(site), "ANYCUDA_LOG": "info", "PYTHONFAULTHANDLER": "1"}
    env.pop("PYTORCH_CUDA_ALLOC_CONF", None)
    if mode == "preload":
        env["LD_PRELOAD"] = str(hook(site, mode))
    return subprocess.run([sys.executable, "-u", str(Path(__file__).resolve()), "--mode", mode], env=env, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def run(say, note) -> int:
    """Number of modes that are not as expected. `say(line)` for everybody, `note(text, show=...)` for the log."""
    failures = 0
    with tempfile.TemporaryDirectory(prefix="memory-saver-") as folder:
        for kind, source in (("repaired", "wheels"), ("from PyPI", "wheels-native")):
            site = Path(folder) / source
            with zipfile.ZipFile(wheel(source)) as archive:
                archive.extractall(site)
            if kind != "repaired":
                say(f"torch_memory_saver {kind:10} {_opened(site)}")
                continue
            for mode in MODES:
                try:
                    done = run_mode(site, mode)
                    ended = f"exit status {done.returncode}"
                    text, ok = done.stdout, done.returncode == 0
                except subprocess.TimeoutExpired as late:
                    ended, ok = "no end within 300 s", False
                    text = (late.stdout or b"").decode(errors="replace")
                failures += not ok
                say(f"torch_memory_saver {kind:10} mode {mode:8} {'ok' if ok else f'NOT AS EXPECTED, {ended}'}")
                note(text, show=not ok)
    return failures


def _opened(site: Path) -> str:
    """What becomes of the wheel as it comes, in a process that has PyTorch: shows that the repair matters."""
    code = f"import torch, ctypes; torch.zeros(1, device='cuda'); ctypes.CDLL({str(hook(site, 'torch'))!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    return "loads" if done.returncode == 0 else f"does not load: {(done.stderr.strip() or '?').splitlines()[-1]}"


def free() -> int:
    """Bytes of free GPU memory; PyTorch first returns what it keeps for later."""
    import torch
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info()[0]


def facts(mode: str) -> None:
    """Before anything is tried, so that it stands in the log of a process that crashes."""
    import torch
    print(f"mode {mode}; Python {sys.version.split()[0]}; PyTorch {torch.__version__} for CUDA {torch.version.cuda}; "
          f"{torch.cuda.get_device_name()}; LD_PRELOAD={os.environ.get('LD_PRELOAD', '')}")
    print("mapped:", *mapped(), sep="\n  ")


def mapped() -> list[str]:
    lines = Path("/proc/self/maps").read_text().splitlines()
    files = {line.split(maxsplit=5)[5] for line in lines if len(line.split(maxsplit=5)) == 6}
    return sorted(file for file in files if any(name in Path(file).name for name in ("cudart", "cuda.so", "anycuda",
                                                                                     "memory_saver")))


class Saver(unittest.TestCase):
    mode = ""

    @classmethod
    def setUpClass(cls) -> None:
        import torch
        import torch_memory_saver
        torch.zeros(1, device="cuda")
        facts(cls.mode)
        cls.torch, cls.saver = torch, torch_memory_saver.torch_memory_saver
        cls.saver.hook_mode = cls.mode
        cls.outside = torch.arange(1 << 20, device="cuda")
        before = free()
        with cls.saver.region(tag="kept", enable_cpu_backup=True):
            cls.kept = torch.arange(BLOCK // 8, dtype=torch.int64, device="cuda")
        with cls.saver.region(tag="scratch"):
            cls.scratch = torch.full((BLOCK // 4,), 3, dtype=torch.int32, device="cuda")
        cls.places = (cls.kept.data_ptr(), cls.scratch.data_ptr())
        print(f"two tensors of {BLOCK >> 20} MB took {before - free() >> 20} MB; at {[hex(one) for one in cls.places]}")

    def assertFreed(self, before: int, blocks: int) -> None:
        after = free()
        print(f"{self._testMethodName}: free before {before >> 20} MB, after {after >> 20} MB")
        self.assertGreater(after - before, ENOUGH * blocks * BLOCK)
        self.assertLess(after - before, (blocks + 1 - ENOUGH) * BLOCK)

    def assertKept(self) -> None:
        """Where they were, and what was backed up is what it was."""
        self.assertEqual((self.kept.data_ptr(), self.scratch.data_ptr()), self.places)
        self.assertTrue(self.torch.equal(self.kept, self.torch.arange(BLOCK // 8, device="cuda")))

    def test_pause_gives_memory_back_and_resume_takes_it(self) -> None:
        before = free()
        self.saver.pause()
        self.assertFreed(before, 2)
        # Others have the use of it meanwhile.
        other = self.torch.full((BLOCK // 2,), 1.0, dtype=self.torch.float16, device="cuda")
        self.assertEqual(float(other[:1024].sum()), 1024)
        self.assertEqual(int(self.outside.sum()), (1 << 19) * ((1 << 20) - 1))
        del other
        self.saver.resume()
        self.assertLess(abs(free() - before), (1 - ENOUGH) * BLOCK)
        self.assertKept()
        self.scratch.fill_(7)
        self.assertEqual(int(self.scratch.sum()), 7 * (BLOCK // 4))

    def test_one_tag_only(self) -> None:
        self.scratch.fill_(5)
        before = free()
        self.saver.pause("kept")
        self.assertFreed(before, 1)
        self.assertEqual(int(self.scratch.sum()), 5 * (BLOCK // 4))
        self.saver.resume("kept")
        self.assertKept()
        self.saver.pause("scratch")
        self.assertKept()
        self.saver.resume("scratch")
        self.scratch.fill_(6)
        self.assertEqual(int(self.scratch.min()), 6)

    def test_many_times(self) -> None:
        before = free()
        for _ in range(20):
            self.saver.pause()
            self.saver.resume()
        self.assertKept()
        self.assertLess(abs(free() - before), (1 - ENOUGH) * BLOCK)

    def test_the_memory_of_a_graph(self) -> None:
        if self.mode != "preload":
            self.skipTest("torch_memory_saver pauses the memory of graphs only in its mode preload")
        torch = self.torch
        with self.saver.region(tag="input"):
            given = torch.zeros(BLOCK // 4, dtype=torch.int32, device="cuda")
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            given * 2 + 1  # once outside, as PyTorch asks
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with self.saver.cuda_graph(graph, tag="graph"):
            result = (given * 2 + 1).sum(dtype=torch.int64)
            large = given + 5
        place = large.data_ptr()
        for value in (1, 4):
            given.fill_(value)
            graph.replay()
            self.assertEqual(int(result), (2 * value + 1) * (BLOCK // 4))
            before = free()
            self.saver.pause()
            freed = free() - before
            print(f"with a graph: {freed >> 20} MB were freed")
            self.assertGreater(freed, (3 + ENOUGH) * BLOCK)  # both tensors, the input, what the graph allocated
            self.saver.resume()
            self.assertEqual(large.data_ptr(), place)
        given.fill_(10)
        graph.replay()
        self.assertEqual(int(large.sum(dtype=torch.int64)), 15 * (BLOCK // 4))
        self.assertKept()

    def test_there_is_one_runtime_and_it_is_pytorchs(self) -> None:
        from pytorch_runtimes import runtimes
        found = runtimes()
        print("runtimes:", *found)
        self.assertEqual(len(found), 1, mapped())
        self.assertIn(f"libcudart.so.{self.torch.version.cuda.split('.')[0]}", found[0])
        self.assertTrue([file for file in mapped() if "libanycuda_cudart-" in file], "the wheel's stub is not in use")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mode", choices=MODES)
    mode = parser.parse_args().mode
    if mode is None:
        return min(run(print, lambda text, show: print(text)), 1)
    Saver.mode = mode
    result = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=2).result
    sys.stdout.flush()
    sys.stderr.flush()
    # Without the destructors of PyTorch and the allocator, some of which run when CUDA is gone.
    os._exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    sys.exit(main())
